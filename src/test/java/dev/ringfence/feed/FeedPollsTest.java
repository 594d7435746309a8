package dev.ringfence.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.config.Settings;
import dev.ringfence.time.SteerableNanoClock;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.CompletionCallback;
import jakarta.ws.rs.core.Response;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class FeedPollsTest {
    private static final UUID ID = new UUID(1, 2);
    private static final FeedCursor START = new FeedCursor(ID, ID, FeedPosition.START);
    private static final FeedPage NOTHING = new FeedPage(List.of(), START.encoded(), START.encoded());

    private final SteerableNanoClock clock = new SteerableNanoClock();
    private final Queue<Runnable> threads = new ArrayDeque<>();
    private final List<Client> clients = new ArrayList<>();
    private final FeedPolls polls = polls("1000");
    private int reads;

    /** One that waits, and what it was answered. */
    private static final class Client {
        private final boolean there;
        private final List<Response> answers = new ArrayList<>();
        private final List<CompletionCallback> told = new ArrayList<>();

        Client(boolean there) {
            this.there = there;
        }

        AsyncResponse response() {
            return (AsyncResponse) Proxy.newProxyInstance(
                    FeedPollsTest.class.getClassLoader(),
                    new Class<?>[] {AsyncResponse.class},
                    (proxy, method, arguments) -> call(method.getName(), arguments[0]));
        }

        private Object call(String method, Object argument) {
            if (method.equals("register")) {
                told.add((CompletionCallback) argument);
                return List.of();
            }
            answers.add((Response) argument);
            return there;
        }

        void hasAllOfIt() {
            told.forEach(callback -> callback.onComplete(null));
        }
    }

    /** Every look finds that all who wait can read something. */
    private FeedPolls polls(String most) {
        Feeds feeds = new Feeds(null, null, null, Clock.systemUTC(), clock) {
            @Override
            public Read readWaited(FeedQuery query) {
                reads++;
                FeedCursor to = START.at(new FeedPosition(1, 1));
                FeedItem item = new FeedItem("1", "evt_1", 1, 1, null, to.encoded(), "00", "{}");
                return new Read(new FeedPage(List.of(item), to.encoded(), START.encoded()), START, to, clock.nanos());
            }
        };
        FeedRepository rows = new FeedRepository(null) {
            @Override
            List<Integer> ready(List<Wish> wishes) {
                return IntStream.range(0, wishes.size()).boxed().toList();
            }
        };
        return new FeedPolls(
                feeds,
                rows,
                Settings.from(Map.of(
                        "ringfence.secrets.key",
                        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
                        "ringfence.feed.max-polls",
                        most)),
                clock) {
            /** No server, and so nobody who could make one. */
            @Override
            Response page(Poll poll, FeedPage page) {
                return null;
            }
        };
    }

    private Client waits(FeedPolls where, boolean there) {
        Client client = new Client(there);
        where.add(
                new FeedQuery(ID, ID, null, 1, Duration.ofMinutes(10)),
                new Feeds.Read(NOTHING, START, START, clock.nanos()),
                client.response(),
                "cor_1");
        clients.add(client);
        return client;
    }

    private void write() {
        for (Runnable thread = threads.poll(); thread != null; thread = threads.poll()) {
            thread.run();
        }
    }

    @Test
    @Tag("PL-3")
    void the_number_of_requests_that_wait_is_bounded() {
        FeedPolls two = polls("2");
        waits(two, true);
        waits(two, true);

        ApiProblem refused = catchThrowableOfType(ApiProblem.class, () -> waits(two, true));

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.code()).isEqualTo("TOO_MANY_POLLS");
        assertThat(refused.headers()).containsKey("Retry-After");
        assertThat(two.waiting()).isEqualTo(2);
    }

    @Test
    @Tag("PL-3")
    void answers_are_on_their_way_until_their_clients_have_them() {
        for (int i = 0; i < 6; i++) {
            waits(polls, true);
        }
        polls.look(threads::add);
        write();
        polls.look(threads::add);
        write();

        assertThat(clients.stream().filter(client -> !client.answers.isEmpty())).hasSize(4);
        assertThat(polls.onTheirWay()).isEqualTo(4);
        assertThat(polls.waiting()).isEqualTo(2);
        assertThat(reads).isEqualTo(4);

        clients.forEach(Client::hasAllOfIt);
        clients.forEach(Client::hasAllOfIt);
        assertThat(polls.onTheirWay()).as("each is told once").isZero();
        polls.look(threads::add);
        write();
        assertThat(clients).allSatisfy(client -> assertThat(client.answers).hasSize(1));
    }

    @Test
    @Tag("PL-3")
    void the_answer_of_one_who_is_gone_is_not_on_its_way() {
        waits(polls, false);

        polls.look(threads::add);
        write();

        assertThat(polls.onTheirWay()).isZero();
        assertThat(polls.waiting()).isZero();
    }

    /** Its tenant may have been redacted since. */
    @Test
    @Tag("RD-5")
    void a_page_that_waited_for_a_thread_too_long_is_read_anew() {
        Client client = waits(polls, true);
        polls.look(threads::add);
        clock.advance(Feeds.HAND_OVER);
        write();

        assertThat(client.answers).isEmpty();
        assertThat(polls.onTheirWay()).isZero();
        assertThat(polls.waiting()).isEqualTo(1);

        polls.look(threads::add);
        write();
        assertThat(client.answers).hasSize(1);
        assertThat(reads).isEqualTo(2);
    }
}
