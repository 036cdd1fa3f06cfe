package dev.weir.scenarios;

import dev.weir.scenarios.demo.DemoView;

/** Is told how a scenario goes; called from one thread at a time. */
public interface Progress {

  Progress SILENT =
      new Progress() {
        @Override
        public void phase(String what) {}

        @Override
        public void update(DemoView view) {}

        @Override
        public void end() {}
      };

  /** Something begins, in a few words. */
  void phase(String what);

  /** The state now, some times a second. */
  void update(DemoView view);

  /** No more updates; what follows may be printed below. */
  void end();
}
