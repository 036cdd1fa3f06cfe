package dev.weir.cli;

/** What a script can rely on. */
public final class ExitCodes {

  public static final int OK = 0;

  /** The operation said no: a 4xx, a balance that does not hold, a failed run. */
  public static final int REFUSED = 1;

  /** The command line was wrong, or names a file that can't be read. */
  public static final int USAGE = 2;

  /** No Weir node answers at the URL. */
  public static final int UNREACHABLE = 3;

  /** The node answered 5xx: it can't do it now. */
  public static final int SERVER_ERROR = 4;

  /** A fault in this program; {@code EX_SOFTWARE} of sysexits.h. */
  public static final int INTERNAL = 70;

  static final String FOOTER_HEADING = "%nExit codes:%n";

  private ExitCodes() {}
}
