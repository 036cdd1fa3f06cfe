package dev.weir.app.config;

/**
 * A value from the command line, which goes before the file's.
 *
 * @param option as the user wrote it, such as {@code --http}; problems are told under this name
 * @param path of the key, such as {@code http.listen}
 */
public record ConfigOverride(String option, String path, String value) {}
