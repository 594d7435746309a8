package dev.ringfence.wake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.TestDatabase;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class NoticeRepositoryIT {
    private static final TestDatabase DATABASE = TestDatabase.empty();
    private static final Notice NOTICE = new Notice("node-1", Set.of(Hint.READY));

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @Test
    @Tag("AD-6")
    void one_session_tells_and_another_hears() throws Exception {
        NoticeRepository notices = new NoticeRepository(DATABASE::dataSource);
        try (NoticeRepository.Ear ear = notices.listen()) {
            notices.tell(NOTICE);
            List<Notice> heard = new ArrayList<>();
            Awaitility.await().until(() -> heard.addAll(ear.hear(Duration.ofMillis(100))));
            assertThat(heard).containsExactly(NOTICE);
            ear.check();
        }
    }

    @Test
    @Tag("AD-6")
    void a_session_that_goes_back_to_the_pool_listens_no_more() throws Exception {
        try (Connection pooled = DATABASE.dataSource().getConnection()) {
            new NoticeRepository(() -> lending(pooled)).listen().close();
            try (var statement = pooled.createStatement();
                    var channels = statement.executeQuery("select count(*) from pg_listening_channels()")) {
                channels.next();
                assertThat(channels.getInt(1)).isZero();
            }
        }
    }

    /** A pool of one session, which stays open when its borrower closes it. */
    private static DataSource lending(Connection pooled) {
        ClassLoader loader = NoticeRepositoryIT.class.getClassLoader();
        Connection handle = (Connection)
                Proxy.newProxyInstance(loader, new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    return method.getName().equals("close") ? null : method.invoke(pooled, arguments);
                });
        return (DataSource)
                Proxy.newProxyInstance(loader, new Class<?>[] {DataSource.class}, (self, method, arguments) -> handle);
    }
}
