package dev.ringfence.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.config.Settings;
import dev.ringfence.time.NanoClock;
import jakarta.ws.rs.container.AsyncResponse;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class FeedPollsTest {
    private static final UUID ID = new UUID(1, 2);

    @Test
    @Tag("PL-3")
    void the_number_of_requests_that_wait_is_bounded() {
        FeedPolls polls = new FeedPolls(
                null,
                null,
                Settings.from(Map.of(
                        "ringfence.secrets.key",
                        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
                        "ringfence.feed.max-polls",
                        "2")),
                new NanoClock());
        add(polls);
        add(polls);

        ApiProblem refused = catchThrowableOfType(ApiProblem.class, () -> add(polls));

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.code()).isEqualTo("TOO_MANY_POLLS");
        assertThat(refused.headers()).containsKey("Retry-After");
        assertThat(polls.waiting()).isEqualTo(2);
    }

    private static void add(FeedPolls polls) {
        FeedCursor cursor = new FeedCursor(ID, ID, FeedPosition.START);
        FeedPage nothing = new FeedPage(List.of(), cursor.encoded(), cursor.encoded());
        AsyncResponse answer = (AsyncResponse) Proxy.newProxyInstance(
                FeedPollsTest.class.getClassLoader(), new Class<?>[] {AsyncResponse.class}, (p, method, args) -> true);
        polls.add(
                new FeedQuery(ID, ID, null, 1, Duration.ofSeconds(30)),
                new Feeds.Read(nothing, cursor, cursor),
                answer,
                "cor_1");
    }
}
