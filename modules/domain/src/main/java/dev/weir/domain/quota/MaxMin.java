package dev.weir.domain.quota;

/**
 * Max-min fair division of whole tokens: everybody gets the same until they have what they want;
 * tokens that don't divide evenly go to those that stand first.
 */
final class MaxMin {

  private MaxMin() {}

  /**
   * @param wants what each wants, in the order of their turn; 0 or more
   * @return what each gets: at most its want, in sum at most {@code tokens}, and all of them while
   *     anybody wants more
   */
  static long[] divide(long tokens, long[] wants) {
    long[] gets = new long[wants.length];
    long left = tokens;
    int hungry = count(wants, gets);
    while (left > 0 && hungry > 0) {
      long each = Math.max(1, left / hungry);
      for (int i = 0; i < wants.length && left > 0; i++) {
        long given = Math.min(Math.min(each, left), wants[i] - gets[i]);
        gets[i] += given;
        left -= given;
      }
      hungry = count(wants, gets);
    }
    return gets;
  }

  private static int count(long[] wants, long[] gets) {
    int hungry = 0;
    for (int i = 0; i < wants.length; i++) {
      hungry += wants[i] > gets[i] ? 1 : 0;
    }
    return hungry;
  }
}
