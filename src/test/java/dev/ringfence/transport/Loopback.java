package dev.ringfence.transport;

import dev.ringfence.config.Settings;
import dev.ringfence.time.ClockProducer;
import dev.ringfence.time.NanoClock;

/** The real transport for tests of other packages, as the container would make it. */
public final class Loopback {
    private Loopback() {}

    public static HttpTransport open(Settings settings) {
        return open(settings, new NanoClock());
    }

    public static HttpTransport open(Settings settings, NanoClock nanos) {
        return new HttpTransport(new DestinationGuard(settings, nanos), nanos, ClockProducer.utcMicros(), settings);
    }

    public static void close(HttpTransport transport) {
        transport.close();
    }
}
