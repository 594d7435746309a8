package dev.ringfence.json;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;

/**
 * Nodes of schemas. The validator asks those in an enumeration for their text, and Jackson's own would write it with buffers that stay
 * with the thread.
 */
final class OwnTexts extends JsonNodeFactory {
    private static final long serialVersionUID = 1L;

    @Override
    public TextNode textNode(String text) {
        return new OwnText(text);
    }

    private static final class OwnText extends TextNode {
        private static final long serialVersionUID = 1L;

        OwnText(String text) {
            super(text);
        }

        @Override
        public String toString() {
            return '"' + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(textValue())) + '"';
        }
    }
}
