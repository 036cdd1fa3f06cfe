package dev.weir.store.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ScriptTest {

  @Test
  void digestIsThatOfRedis() {
    assertThat(Script.of("one", "return 1").sha1())
        .isEqualTo("e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
  }

  @Test
  void scriptsAreLoadedByName() {
    Script script = Script.load("connection-test");
    assertThat(script.name()).isEqualTo("connection-test");
    assertThat(script.source()).endsWith("return ARGV[1]\n");
    assertThat(script.sha1()).isEqualTo(Script.of("x", script.source()).sha1());
  }

  @Test
  void unknownScriptIsNamed() {
    assertThatThrownBy(() -> Script.load("nosuch"))
        .hasMessageContaining("/dev/weir/store/nosuch.lua");
  }

  @Test
  void aScriptIsGivenOnlyWhatItUses() {
    ScriptLibrary library =
        new ScriptLibrary(
            """
            -- about unused, which only a comment names
            local base, other = 1, 2
            local function unused() return base end

            local function used(x)
              local inner = x.unused
              return inner + base
            end
            local last = used(3)
            """);
    assertThat(library.neededBy("-- last\nreturn used(1)\n"))
        .contains("local base, other", "local function used")
        .doesNotContain("local function unused", "local last");
    assertThat(library.neededBy("return 1")).isEmpty();
  }
}
