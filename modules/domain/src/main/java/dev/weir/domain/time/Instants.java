package dev.weir.domain.time;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Instants as RFC 3339 text. The offset is mandatory: a local time without one can't be read the
 * same everywhere, doesn't exist once a year and happens twice once a year.
 */
public final class Instants {

  private static final Pattern FORM =
      Pattern.compile(
          "(\\d{4})-(\\d\\d)-(\\d\\d)[Tt](\\d\\d):(\\d\\d):(\\d\\d)(?:\\.(\\d{1,9}))?"
              + "([Zz]|([+-])(\\d\\d):(\\d\\d))");

  private static final Pattern WITHOUT_OFFSET =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\d[Tt ]\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?");

  private static final String EXAMPLES =
      "such as 2026-12-24T09:00:00Z or 2026-12-24T09:00:00+01:00";

  private Instants() {}

  /**
   * Reads {@code 2026-12-24T09:00:00[.fraction](Z|±hh:mm)}, T and Z in either case, up to nine
   * digits of fraction (cut to ms).
   *
   * @return epoch ms
   * @throws IllegalArgumentException saying what is wrong and what is allowed: no offset, a zone in
   *     brackets, a leap second, a date or time that doesn't exist
   */
  public static long parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(quote(text) + " " + whatIsWrong(text));
    }
    if (form.group(6).equals("60")) {
      throw new IllegalArgumentException(
          quote(text)
              + " names a leap second, which has no place in epoch time; use :59 or the"
              + " next minute");
    }
    return epochSecond(text, form) * 1000 + millis(form.group(7));
  }

  /** Writes UTC with ms, always 24 characters: {@code 2026-12-01T01:02:03.456Z}. */
  public static String format(long epochMs) {
    LocalDateTime at =
        LocalDateTime.ofEpochSecond(
            Math.floorDiv(epochMs, 1000L),
            (int) Math.floorMod(epochMs, 1000L) * 1_000_000,
            ZoneOffset.UTC);
    if (at.getYear() < 0 || at.getYear() > 9999) {
      throw new IllegalArgumentException("epoch ms " + epochMs + " is outside the years 0 to 9999");
    }
    StringBuilder out = new StringBuilder(24);
    pad(out, at.getYear(), 4).append('-');
    pad(out, at.getMonthValue(), 2).append('-');
    pad(out, at.getDayOfMonth(), 2).append('T');
    pad(out, at.getHour(), 2).append(':');
    pad(out, at.getMinute(), 2).append(':');
    pad(out, at.getSecond(), 2).append('.');
    return pad(out, at.getNano() / 1_000_000, 3).append('Z').toString();
  }

  private static long epochSecond(String text, Matcher form) {
    try {
      return LocalDateTime.of(
                  number(form, 1),
                  number(form, 2),
                  number(form, 3),
                  number(form, 4),
                  number(form, 5),
                  number(form, 6))
              .toEpochSecond(ZoneOffset.UTC)
          - offsetSeconds(text, form);
    } catch (DateTimeException noSuchTime) {
      throw new IllegalArgumentException(
          quote(text) + " doesn't exist: " + noSuchTime.getMessage(), noSuchTime);
    }
  }

  private static long offsetSeconds(String text, Matcher form) {
    if (form.group(9) == null) {
      return 0;
    }
    int hours = number(form, 10);
    int minutes = number(form, 11);
    if (hours > 23 || minutes > 59) {
      throw new IllegalArgumentException(quote(text) + " has an offset outside -23:59 to +23:59");
    }
    int seconds = hours * 3600 + minutes * 60;
    return form.group(9).equals("-") ? -seconds : seconds;
  }

  private static long millis(String fraction) {
    return fraction == null ? 0 : Integer.parseInt((fraction + "00").substring(0, 3));
  }

  private static String whatIsWrong(String text) {
    if (text.indexOf('[') >= 0) {
      return "names a zone in brackets; write the offset alone, " + EXAMPLES;
    }
    if (WITHOUT_OFFSET.matcher(text).matches()) {
      return "has no offset from UTC; add Z or ±hh:mm, " + EXAMPLES;
    }
    return "is no RFC 3339 instant with an offset, " + EXAMPLES;
  }

  /** Foreign text in an error: one line, and not too much of it. */
  private static String quote(String text) {
    String cut = text.length() <= 64 ? text : text.substring(0, 64) + "…";
    return "'" + cut.replaceAll("\\p{Cntrl}", "?") + "'";
  }

  private static int number(Matcher form, int group) {
    return Integer.parseInt(form.group(group));
  }

  private static StringBuilder pad(StringBuilder out, int value, int width) {
    String digits = Integer.toString(value);
    return out.append("0".repeat(width - digits.length())).append(digits);
  }
}
