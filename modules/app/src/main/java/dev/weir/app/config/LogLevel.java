package dev.weir.app.config;

/** How much the node tells on stderr. */
public enum LogLevel {
  ERROR,
  WARN,
  INFO,
  DEBUG,
  TRACE
}
