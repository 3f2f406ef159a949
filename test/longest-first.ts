import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Test files that take a quarter of a minute or more, in the order in which they start. The longest start first, except
 * that journeys that wait most of the time are spread, so that the processor is used evenly.
 */
export const FIRST_FILES: readonly string[] = [
  // Unit and service tests, and journeys that wait. The first ones wait, too.
  'test/journeys/stopped-checks.test.ts',
  'services/monitor/test/set-back.test.ts',
  'services/monitor/test/deadlines.test.ts',
  'packages/service/test/rewrap-sealed.test.ts',
  // These tests expect responses within a second, so they run beside tests that wait.
  'services/checker/test/fairness.test.ts',
  'services/notifier/test/fairness.test.ts',
  'services/notifier/test/deliveries.test.ts',
  'services/notifier/test/hostile-receivers.test.ts',
  'services/notifier/test/storms.test.ts',
  'services/checker/test/synthetic/hostile-scripts.test.ts',
  'services/statuspage/test/page-in-browser.test.ts',
  'test/journeys/guides.test.ts',
  'services/identity/test/accounts-in-browser.test.ts',
  'services/checker/test/synthetic/left-behind.test.ts',
  'gateway/test/public-pages.test.ts',
  'services/notifier/test/held-back.test.ts',
  'test/journeys/main-job.test.ts',
  'services/monitor/test/result-intake.test.ts',
  'services/notifier/test/alert-policy.test.ts',
  'services/notifier/test/subscribers.test.ts',
  'packages/outbox/test/relay.test.ts',
  'services/checker/test/synthetic/scripts.test.ts',
  'services/notifier/test/provider-channels.test.ts',
  'packages/outbox/test/kill.test.ts',
  'services/notifier/test/owner-mails.test.ts',
  'test/journeys/fault-soak.test.ts',
  'test/journeys/regions.test.ts',
  'services/monitor/test/certificate-thresholds.test.ts',
  'services/notifier/test/asking-recipients.test.ts',
  'packages/runtime/test/rpc-client.test.ts',
  'packages/dev-servers/test/nats.test.ts',
  'packages/outbox/test/consumer.test.ts',
  // Other journeys, contract tests and charts. The public pages have limits of two seconds, so the tests beside them
  // wait.
  'test/journeys/noisy-neighbour.test.ts',
  'test/contract/contract.test.ts',
  'test/journeys/public-pages.test.ts',
  'test/journeys/direct-grpc.test.ts',
  'test/journeys/page-truth.test.ts',
  'test/contract/go-and-python-clients.test.ts',
  'test/contract/docs-in-browser.test.ts',
  'test/contract/pages-and-disruptions.test.ts',
  'test/journeys/alerts-under-kills.test.ts',
  'test/journeys/checker-crash.test.ts',
  'test/contract/grpc-clients.test.ts',
  'test/journeys/crashes.test.ts',
  'test/contract/properties.test.ts',
  'test/journeys/results-under-fault.test.ts',
  'test/charts/charts.test.ts',
  'test/journeys/admin-command.test.ts',
  'test/journeys/flapping.test.ts',
  'test/journeys/deleted-organization.test.ts',
];

/**
 * Starts the long test files in the order of the list and all others afterwards, so that no worker is still busy with a
 * long file when the others have no more files. vitest only knows the durations of an earlier run, and CI has none.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isAt = (path: string) => (file: TestSpecification) => file.moduleId.endsWith(`/${path}`);
    const first = FIRST_FILES.flatMap((path) => sorted.filter(isAt(path)));
    return [...first, ...sorted.filter((file) => !first.includes(file))];
  }
}
