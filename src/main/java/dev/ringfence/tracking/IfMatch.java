package dev.ringfence.tracking;

import dev.ringfence.api.ApiProblem;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The header {@code If-Match} of a save: the revision that the client has seen, {@code "0"} for none yet. */
record IfMatch(boolean any, long revision) {
    private static final Pattern TAG = Pattern.compile("\\s*\"(0|[1-9][0-9]{0,17})\"\\s*");

    /**
     * Reads the header.
     *
     * @throws ApiProblem 428 without it; 412 {@code PRECONDITION_FAILED} where it can be the tag of no revision
     */
    static IfMatch parse(@Nullable String header) {
        if (header == null) {
            throw ApiProblem.of(
                    428,
                    "PRECONDITION_REQUIRED",
                    "Say in If-Match which revision is replaced: the ETag of GET, or \"0\" where there is none yet.");
        }
        if (header.trim().equals("*")) {
            return new IfMatch(true, 0);
        }
        Matcher tag = TAG.matcher(header);
        if (!tag.matches()) {
            throw failed(null);
        }
        return new IfMatch(false, Long.parseLong(tag.group(1)));
    }

    /**
     * Lets that state pass.
     *
     * @throws ApiProblem 412 {@code PRECONDITION_FAILED} with the standing revision as {@code ETag}
     */
    void check(@Nullable StoredSettings standing) {
        long revision = standing == null || !standing.present() ? 0 : standing.revision();
        boolean passes = any ? revision > 0 : revision == this.revision;
        if (!passes) {
            throw failed(revision);
        }
    }

    static ApiProblem failed(@Nullable Long revision) {
        ApiProblem problem = ApiProblem.of(412, "PRECONDITION_FAILED", "The settings stand at another revision.");
        return revision == null ? problem : problem.with("ETag", "\"" + revision + "\"");
    }
}
