package dev.ringfence.fanout;

import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.NotificationOptions;
import jakarta.enterprise.util.TypeLiteral;
import java.lang.annotation.Annotation;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the deliveries that fan-out announced. */
final class ReadyHints implements Event<DeliveriesReady> {

    private final AtomicInteger announced = new AtomicInteger();

    int announced() {
        return announced.get();
    }

    @Override
    public void fire(DeliveriesReady event) {
        announced.addAndGet(event.count());
    }

    @Override
    public <U extends DeliveriesReady> CompletionStage<U> fireAsync(U event) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <U extends DeliveriesReady> CompletionStage<U> fireAsync(U event, NotificationOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Event<DeliveriesReady> select(Annotation... qualifiers) {
        return this;
    }

    @Override
    public <U extends DeliveriesReady> Event<U> select(Class<U> subtype, Annotation... qualifiers) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <U extends DeliveriesReady> Event<U> select(TypeLiteral<U> subtype, Annotation... qualifiers) {
        throw new UnsupportedOperationException();
    }
}
