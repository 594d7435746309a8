package dev.ringfence.json;

/**
 * One thing that is wrong with a document.
 *
 * @param pointer RFC 6901 pointer to the place
 * @param code stable code, upper case
 * @param detail fixed text for people; never the offending value
 */
public record FieldError(String pointer, String code, String detail) {

    /** The pointer of a member of the object at {@code parent}. */
    public static String memberPointer(String parent, String member) {
        return parent + "/" + member.replace("~", "~0").replace("/", "~1");
    }
}
