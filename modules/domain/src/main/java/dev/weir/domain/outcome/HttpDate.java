package dev.weir.domain.outcome;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The three date forms of HTTP (RFC 9110 §5.6.7): IMF-fixdate, RFC 850 and asctime, case-sensitive,
 * always in GMT. A weekday that doesn't fit the date is let pass: the date itself is clear.
 */
final class HttpDate {

  private static final String DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
  private static final String LONG_DAY =
      "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)";
  private static final String MONTH = "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
  private static final String TIME = "(\\d\\d):(\\d\\d):(\\d\\d)";

  private static final Pattern IMF_FIXDATE =
      Pattern.compile(DAY + ", (\\d\\d) " + MONTH + " (\\d{4}) " + TIME + " GMT");
  private static final Pattern RFC_850 =
      Pattern.compile(LONG_DAY + ", (\\d\\d)-" + MONTH + "-(\\d\\d) " + TIME + " GMT");
  private static final Pattern ASCTIME =
      Pattern.compile(DAY + " " + MONTH + " (\\d\\d| \\d) " + TIME + " (\\d{4})");

  private static final List<String> MONTHS =
      List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");

  private HttpDate() {}

  /** Epoch ms, or empty when the text is none of the three forms or no real date. */
  static OptionalLong parse(String text, long nowEpochMs) {
    try {
      Matcher imf = IMF_FIXDATE.matcher(text);
      if (imf.matches()) {
        return OptionalLong.of(instant(imf, 3, imf.group(3), 2, imf.group(1)));
      }
      Matcher rfc850 = RFC_850.matcher(text);
      if (rfc850.matches()) {
        return OptionalLong.of(rfc850Instant(rfc850, nowEpochMs));
      }
      Matcher asctime = ASCTIME.matcher(text);
      if (asctime.matches()) {
        return OptionalLong.of(instant(asctime, 2, asctime.group(6), 1, asctime.group(2).strip()));
      }
      return OptionalLong.empty();
    } catch (DateTimeException noSuchDate) {
      return OptionalLong.empty();
    }
  }

  /**
   * A two-digit year that would lie more than 50 years ahead means the past century (RFC 9110
   * §5.6.7).
   */
  private static long rfc850Instant(Matcher form, long nowEpochMs) {
    int thisYear = LocalDateTime.ofEpochSecond(nowEpochMs / 1000, 0, ZoneOffset.UTC).getYear();
    int year = thisYear - thisYear % 100 + Integer.parseInt(form.group(3));
    if (year > thisYear + 50) {
      year -= 100;
    } else if (year <= thisYear - 50) {
      year += 100;
    }
    return instant(form, 3, Integer.toString(year), 2, form.group(1));
  }

  /** The three time fields stand in the groups after {@code beforeTime}. */
  private static long instant(
      Matcher form, int beforeTime, String year, int monthGroup, String day) {
    int second = Integer.parseInt(form.group(beforeTime + 3));
    boolean leap = second == 60;
    LocalDateTime local =
        LocalDateTime.of(
            Integer.parseInt(year),
            MONTHS.indexOf(form.group(monthGroup)) + 1,
            Integer.parseInt(day),
            Integer.parseInt(form.group(beforeTime + 1)),
            Integer.parseInt(form.group(beforeTime + 2)),
            leap ? 59 : second);
    return (local.toEpochSecond(ZoneOffset.UTC) + (leap ? 1 : 0)) * 1000;
  }
}
