import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

/**
 * Options of tests that use real PostgreSQL and NATS servers and therefore take longer. In CI, a failed test runs a
 * second time, because a busy machine can pause any process for seconds. `test/run.ts` lists each test that passed only
 * at the second attempt.
 */
const onRealServers = {
  globalSetup: ['test/setup.ts'],
  testTimeout: 60_000,
  hookTimeout: 120_000,
  retry: process.env.CI ? 1 : 0,
};

/** Options of tests that start the whole product. */
const onTheProduct = {
  ...onRealServers,
  // A busy machine may take several times as long as an idle one.
  testTimeout: 300_000,
  hookTimeout: 240_000,
};

/** Journeys that wait most of the time. They run beside the service tests, and before the other journeys. */
const waitingJourneys = ['fault-soak', 'guides', 'main-job', 'regions', 'stopped-checks'].map(
  (name) => `test/journeys/${name}.test.ts`,
);

export default defineConfig({
  test: {
    watch: false,
    pool: 'forks',
    // Tests wait more than they compute, and most of the time one or two of them are journeys that only wait.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{packages,services}/*/src/**/*.test.ts',
            'gateway/src/**/*.test.ts',
            'cli/src/**/*.test.ts',
            'proto/src/**/*.test.ts',
            'deploy/*/*.test.ts',
            'test/*.test.ts',
            'test/soak/*.test.ts',
            'test/cluster/node/*.test.ts',
          ],
          // Tests of pure code take milliseconds, unless the machine is busy with something else.
          testTimeout: 30_000,
          // Test files share processes and modules, because loading the modules takes longer than most of the tests.
          isolate: false,
        },
      },
      {
        test: {
          name: 'service',
          include: [
            '{packages,services}/*/test/**/*.test.ts',
            'gateway/test/**/*.test.ts',
            'deploy/local/test/**/*.test.ts',
          ],
          ...onRealServers,
        },
      },
      {
        test: {
          name: 'waiting',
          include: waitingJourneys,
          ...onTheProduct,
          // Each installation has its own servers.
          globalSetup: [],
        },
      },
      {
        test: {
          name: 'journey',
          include: ['test/{journeys,contract,charts}/**/*.test.ts'],
          exclude: waitingJourneys,
          ...onTheProduct,
          // Each test file starts the whole product, which has ten processes.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          ...onRealServers,
          retry: 0,
          testTimeout: 30 * 60_000,
          hookTimeout: 120_000,
          // Test files run one at a time, because each of them needs the whole machine.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'cluster',
          // Only `npm run test:cluster` runs these tests, in the network of a cluster.
          include: ['test/cluster/*.test.ts'],
          globalSetup: ['test/cluster/setup.ts'],
          testTimeout: 15 * 60_000,
          hookTimeout: 5 * 60_000,
          // All files use one installation.
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
