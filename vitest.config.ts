import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    watch: false,
    pool: 'forks',
    // Tests wait more than they compute.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,services}/*/src/**/*.test.ts', 'gateway/src/**/*.test.ts', 'deploy/local/*.test.ts'],
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
          globalSetup: ['test/setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
