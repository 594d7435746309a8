package dev.ringfence.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ManagementBeansTest {

    /** What JMX asks of it. */
    public interface SampleMXBean {
        int getNumber();
    }

    private record Sample(int number) implements SampleMXBean {
        @Override
        public int getNumber() {
            return number;
        }
    }

    @Test
    @Tag("AD-1")
    void a_bean_takes_the_place_of_an_earlier_one_and_goes_when_it_is_told() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("dev.ringfence:type=Sample");
        ManagementBeans.show("Sample", new Sample(1));
        ManagementBeans.show("Sample", new Sample(2));
        assertThat(server.getAttribute(name, "Number")).isEqualTo(2);
        ManagementBeans.hide("Sample");
        ManagementBeans.hide("Sample");
        assertThat(server.isRegistered(name)).isFalse();
    }

    private static final class Deployed extends ShownWhileDeployed implements SampleMXBean {
        Deployed() {
            super("Deployed");
        }

        @Override
        public int getNumber() {
            return 3;
        }
    }

    @Test
    @Tag("AD-1")
    void a_bean_is_shown_by_its_type_as_long_as_it_is_deployed() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("dev.ringfence:type=Deployed");
        Deployed bean = new Deployed();
        bean.register();
        assertThat(server.getAttribute(name, "Number")).isEqualTo(3);
        bean.unregister();
        assertThat(server.isRegistered(name)).isFalse();
    }
}
