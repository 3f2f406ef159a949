import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** Counts the tests of several vitest runs, and collects the failures. */
export class Tally implements Reporter {
  passed = 0;
  failed = 0;
  skipped = 0;
  /**
   * Failures with file, test name and first line of the error, such as `api.test.ts > a GET works: expected 1 to be 2`.
   */
  readonly failures: string[] = [];
  /** Tests that failed at their first attempt and passed at their second, in the form of `failures`. */
  readonly flaky: string[] = [];

  /**
   * Counts the tests of a run. A file that can't run its tests, because it fails to load or a hook throws, counts as
   * one failed test.
   */
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    for (const error of unhandledErrors) this.#fail('outside of a test', [error]);
    for (const module of modules) {
      const file = module.relativeModuleId;
      for (const suite of [module, ...module.children.allSuites()]) {
        const name = suite.type === 'suite' ? `${file} > ${suite.fullName}` : file;
        if (suite.errors().length > 0) this.#fail(name, suite.errors());
      }
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (test.diagnostic()?.flaky) this.flaky.push(describeFailure(`${file} > ${test.fullName}`, errors ?? []));
        if (state === 'passed' || state === 'skipped') this.count(state);
        else this.#fail(`${file} > ${test.fullName}`, errors ?? [{ message: 'did not end' }]);
      }
    }
  }

  /** Counts a check that is not a vitest test. */
  count(state: 'passed' | 'failed' | 'skipped'): void {
    this[state] += 1;
  }

  /** Counts a failure. A test that is still pending at the end of its run failed, because its worker has died. */
  #fail(name: string, errors: readonly { message: string }[]): void {
    this.failed += 1;
    this.failures.push(describeFailure(name, errors));
  }
}

function describeFailure(name: string, [error]: readonly { message: string }[]): string {
  return `${name}: ${error?.message.split('\n', 1)[0] ?? 'no error message'}`;
}
