import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** Counts the tests of several vitest runs. */
export class Tally implements Reporter {
  passed = 0;
  failed = 0;
  skipped = 0;

  /**
   * Counts the tests of a run. A file that can't run its tests, because it fails to load or a hook throws, counts as
   * one failed test.
   */
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    this.failed += unhandledErrors.length;
    for (const module of modules) {
      for (const suite of [module, ...module.children.allSuites()]) if (suite.errors().length > 0) this.failed += 1;
      for (const test of module.children.allTests()) this.count(test.result().state);
    }
  }

  /**
   * Counts one test. A test that is still pending at the end of its run counts as failed, because its worker has died.
   */
  count(state: 'passed' | 'failed' | 'skipped' | 'pending'): void {
    if (state === 'passed') this.passed += 1;
    else if (state === 'skipped') this.skipped += 1;
    else this.failed += 1;
  }
}
