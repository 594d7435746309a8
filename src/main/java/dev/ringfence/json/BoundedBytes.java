package dev.ringfence.json;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Bytes in memory up to a bound. */
final class BoundedBytes extends OutputStream {

    /** More was written than there is room for. */
    static final class Full extends IOException {
        private static final long serialVersionUID = 1L;
    }

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final int most;

    BoundedBytes(int most) {
        this.most = most;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] more, int start, int length) throws IOException {
        if (length > most - bytes.size()) {
            throw new Full();
        }
        bytes.write(more, start, length);
    }

    byte[] toByteArray() {
        return bytes.toByteArray();
    }
}
