import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take half a minute or more, the longest first. */
export const LONGEST_FILES: readonly string[] = [
  'test/journeys/stopped-checks.test.ts',
  'test/contract/contract.test.ts',
  'test/journeys/noisy-neighbour.test.ts',
  'test/journeys/guides.test.ts',
  'test/journeys/fault-soak.test.ts',
  'test/journeys/main-job.test.ts',
  'test/journeys/public-pages.test.ts',
  'test/journeys/regions.test.ts',
  'services/monitor/test/set-back.test.ts',
  'test/contract/go-and-python-clients.test.ts',
  'test/journeys/admin-command.test.ts',
  'services/monitor/test/deadlines.test.ts',
  'services/statuspage/test/page-in-browser.test.ts',
  'test/contract/docs-in-browser.test.ts',
  'services/checker/test/synthetic/hostile-scripts.test.ts',
  'test/journeys/alerts-under-kills.test.ts',
  'test/journeys/checker-crash.test.ts',
  'test/contract/grpc-clients.test.ts',
  'test/journeys/crashes.test.ts',
  'services/notifier/test/storms.test.ts',
  'test/contract/properties.test.ts',
  'test/journeys/command-line.test.ts',
  'packages/service/test/rewrap-sealed.test.ts',
  'services/identity/test/accounts-in-browser.test.ts',
  'test/journeys/direct-grpc.test.ts',
  'test/journeys/page-truth.test.ts',
  'services/notifier/test/fairness.test.ts',
  'services/checker/test/synthetic/left-behind.test.ts',
  'test/journeys/results-under-fault.test.ts',
  'test/contract/disruptions.test.ts',
  'services/checker/test/fairness.test.ts',
  'test/contract/components.test.ts',
  'test/charts/charts.test.ts',
  'gateway/test/public-pages.test.ts',
];

/**
 * Starts the longest test files first, so that no worker is still busy with one of them when the others have no more
 * files. vitest only knows the durations of an earlier run, and CI has none.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    const isAt = (path: string) => (file: TestSpecification) => file.moduleId.endsWith(`/${path}`);
    const longest = LONGEST_FILES.flatMap((path) => others.filter(isAt(path)));
    return [...longest, ...others.filter((file) => !longest.includes(file))];
  }
}
