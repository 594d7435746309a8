package dev.ringfence.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The tables of {@code docs/model/README.md}: what {@link ModelIT} runs and {@link ModelPageTest} looks up. */
final class ModelPage {
    static final Path MODEL = Path.of("docs", "model", "ringfence.pml");
    private static final Path PAGE = Path.of("docs", "model", "README.md");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    private final List<String> lines;

    private ModelPage(List<String> lines) {
        this.lines = lines;
    }

    static ModelPage read() throws IOException {
        return new ModelPage(Files.readAllLines(PAGE));
    }

    /** A row as it stands in the table under that heading. */
    record Row(List<String> cells) {
        List<String> flags() {
            return List.of(codes(1).get(0).split(" "));
        }

        /** What stands in backquotes in a cell. */
        List<String> codes(int cell) {
            return CODE.matcher(cells.get(cell))
                    .results()
                    .map(MatchResult::group)
                    .map(code -> code.substring(1, code.length() - 1))
                    .toList();
        }

        @Override
        public String toString() {
            return cells.get(0) + ": " + cells.get(cells.size() - 1);
        }
    }

    List<Row> holds() {
        return table("What holds");
    }

    List<Row> breaks() {
        return table("What breaks it");
    }

    List<Row> happens() {
        return table("What happens in it");
    }

    List<Row> steps() {
        return table("Steps and code");
    }

    Stream<Row> runs() {
        return Stream.of(holds(), breaks(), happens()).flatMap(List::stream);
    }

    private List<Row> table(String heading) {
        int from = lines.indexOf("## " + heading);
        if (from < 0) {
            throw new IllegalStateException("no heading " + heading);
        }
        List<Row> rows = new ArrayList<>();
        for (String line : lines.subList(from + 1, lines.size())) {
            if (line.startsWith("## ")) {
                break;
            }
            if (line.startsWith("| ")) {
                String[] cells = line.substring(1).split("\\|");
                rows.add(new Row(Arrays.stream(cells).map(String::strip).toList()));
            }
        }
        // The head, and the line of dashes.
        return rows.subList(2, rows.size());
    }
}
