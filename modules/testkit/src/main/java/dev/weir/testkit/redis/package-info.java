/**
 * Real Redis for tests: a server process that can be killed, frozen and brought back on the same
 * data, and a proxy that loses exactly the replies that a test asks it to lose. Owns processes,
 * their directories and plain sockets; knows nothing of Weir's keys or scripts. Blocking, for test
 * threads only.
 */
@NullMarked
package dev.weir.testkit.redis;

import org.jspecify.annotations.NullMarked;
