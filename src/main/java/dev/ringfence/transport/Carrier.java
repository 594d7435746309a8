package dev.ringfence.transport;

import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.protocol.HttpContext;

/** What is different about an exchange in HTTP/1.1 and in HTTP/2. All is called on the connection's thread. */
interface Carrier {
    /** The head, as the protocol wants it. */
    HttpRequest head(Exchange exchange);

    /** Called before the send-by deadline is checked and anything is written; throws where the connection must not be used. */
    void ready(HttpContext context) throws ConnectionClosedException;

    /** The request may not begin any more: nothing of it is to be written. */
    void tooLate() throws ConnectionClosedException;

    /** Bytes that came for this exchange, framing included. */
    long received();

    /** The head of the answer. */
    void answerBegins(HttpResponse response);

    /** Whether the answer is as long, and ended as, its head and the protocol say. */
    boolean isWhole(int bodyBytes);

    /** Whether the next request may follow on the connection after this answer. */
    boolean keeps(Answer answer);

    /** The core's last call. */
    void gone();
}
