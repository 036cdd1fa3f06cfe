package dev.weir.store;

import java.util.List;

/**
 * The keys that Java names. Scripts derive every other key of a partition from its prefix; the list
 * of them stands in {@code lib.lua}.
 */
final class Keys {

  private Keys() {}

  /** Prefix of all keys of a partition, with the hash tag that keeps them in one slot. */
  static String prefix(int partition) {
    return "weir:{" + partition + "}:";
  }

  /** The only key of a script; it makes the others of it. */
  static List<String> of(int partition) {
    return List.of(prefix(partition));
  }

  /** HASH: format, partitions, epoch. */
  static String meta() {
    return "weir:meta";
  }

  /** HASH: SID → QID of subscribers that share a quota. */
  static String directory() {
    return "weir:dir";
  }

  /** ZSET, all scores 0: the subscribers of a partition. */
  static String subscribers(int partition) {
    return prefix(partition) + "subs";
  }

  /** ZSET, all scores 0: the shared quotas of a partition. */
  static String quotas(int partition) {
    return prefix(partition) + "quotas";
  }

  /** ZSET, all scores 0: subscribers whose delete has begun. */
  static String deleting(int partition) {
    return prefix(partition) + "deleting";
  }

  static String subscriber(int partition, String sid) {
    return prefix(partition) + "s:" + sid;
  }
}
