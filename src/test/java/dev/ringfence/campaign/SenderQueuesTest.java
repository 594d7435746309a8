package dev.ringfence.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class SenderQueuesTest {
    @Test
    void bytes_that_were_written_and_have_not_arrived_are_found_until_they_have() throws IOException {
        try (ServerSocketChannel receiver = ServerSocketChannel.open()) {
            receiver.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = receiver.socket().getLocalPort();
            try (SocketChannel sender = SocketChannel.open(receiver.getLocalAddress());
                    SocketChannel taken = receiver.accept()) {
                assertThat(SenderQueues.unacknowledged(port))
                        .as("nothing written")
                        .isEmpty();

                fill(sender);
                assertThat(SenderQueues.unacknowledged(port))
                        .containsExactly(sender.socket().getLocalPort());

                taken.configureBlocking(false);
                ByteBuffer bytes = ByteBuffer.allocate(1 << 20);
                Awaitility.await().until(() -> {
                    taken.read(bytes.clear());
                    return SenderQueues.unacknowledged(port).isEmpty();
                });
            }
        }
    }

    /** Until both kernels' buffers are full. */
    private static void fill(SocketChannel sender) throws IOException {
        sender.configureBlocking(false);
        ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
        while (sender.write(bytes.clear()) > 0) {
            // Once more.
        }
    }
}
