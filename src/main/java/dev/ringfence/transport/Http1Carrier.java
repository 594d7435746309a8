package dev.ringfence.transport;

import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.EndpointDetails;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http.protocol.HttpCoreContext;
import org.apache.hc.core5.reactor.IOSession;
import org.jspecify.annotations.Nullable;

/** A connection for one exchange at a time. The core itself tells whole answers from broken ones. */
final class Http1Carrier implements Carrier {
    private final IOSession session;
    private @Nullable EndpointDetails line;
    private long receivedBefore;

    Http1Carrier(IOSession session) {
        this.session = session;
    }

    @Override
    public HttpRequest head(Exchange exchange) {
        return RequestMessage.of(exchange.destination(), exchange.outbound(), exchange.token());
    }

    /** What came before the request belongs to no answer, and must not be taken for the answer to it. */
    @Override
    public void ready(HttpContext context) throws ConnectionClosedException {
        if (session.getHandler() instanceof Http1Line http && http.hasSurplus()) {
            throw new ConnectionClosedException("the connection holds what belongs to no answer");
        }
        line = HttpCoreContext.cast(context).getEndpointDetails();
        receivedBefore = received();
    }

    @Override
    public void tooLate() throws ConnectionClosedException {
        throw new ConnectionClosedException("too late to send");
    }

    @Override
    public long received() {
        return line == null ? 0 : line.getReceivedBytesCount() - receivedBefore;
    }

    @Override
    public void answerBegins(HttpResponse response) {
        // The core has read how it is framed.
    }

    @Override
    public boolean isWhole(int bodyBytes) {
        return true;
    }

    @Override
    public boolean keeps(Answer answer) {
        return answer.keepsConnection();
    }

    @Override
    public void gone() {
        // The exchange itself gives the connection back.
    }
}
