package dev.ringfence.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * Where every reader and writer of JSON begins. Jackson keeps its buffers with the thread that used them; a server's threads outlive a
 * deployment, and each would keep the classes of one that is gone. Here the buffers belong to the application.
 */
public final class JsonFactories {
    private JsonFactories() {}

    /** To be configured further. */
    public static JsonFactoryBuilder builder() {
        return (JsonFactoryBuilder) JsonFactory.builder().recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool());
    }

    /** Without any rule of {@link StrictJson}: for documents of our own making. */
    public static ObjectMapper plainMapper() {
        return new ObjectMapper(builder().build());
    }
}
