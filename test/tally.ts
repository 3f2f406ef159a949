import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** Counts tests over all vitest runs that it reports on. */
export class Tally implements Reporter {
  passed = 0;
  failed = 0;
  skipped = 0;

  /** A file that can't run its tests (it fails to load, or a hook throws) counts as one failed test. */
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    this.failed += unhandledErrors.length;
    for (const module of modules) {
      for (const suite of [module, ...module.children.allSuites()]) if (suite.errors().length > 0) this.failed += 1;
      for (const test of module.children.allTests()) this.count(test.result().state);
    }
  }

  /** A test that is still pending when its run is over was lost with its worker. */
  count(state: 'passed' | 'failed' | 'skipped' | 'pending'): void {
    if (state === 'passed') this.passed += 1;
    else if (state === 'skipped') this.skipped += 1;
    else this.failed += 1;
  }
}
