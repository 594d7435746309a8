package dev.ringfence.api;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Ends with 413 as soon as more bytes than the limit have come. */
final class LimitedInputStream extends FilterInputStream {

    private final long limit;
    private long read;

    LimitedInputStream(InputStream in, long limit) {
        super(in);
        this.limit = limit;
    }

    @Override
    public int read() throws IOException {
        int next = super.read();
        if (next >= 0) {
            count(1);
        }
        return next;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int got = super.read(buffer, offset, length);
        if (got > 0) {
            count(got);
        }
        return got;
    }

    private void count(int bytes) {
        read += bytes;
        if (read > limit) {
            throw ApiProblem.bodyTooLarge(limit);
        }
    }
}
