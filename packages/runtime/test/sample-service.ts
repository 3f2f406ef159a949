import { setTimeout as sleep } from 'node:timers/promises';
import { type BaseConfig, ConfigReader, type Environment, runService } from '../src/index.ts';

interface SampleConfig extends BaseConfig {
  /** Time of the failure: during the start, after it, or never. */
  readonly failure: 'none' | 'start' | 'later';
  /** Milliseconds that the service takes to drain. */
  readonly workMs: number;
}

function loadConfig(env: Environment): SampleConfig {
  const read = new ConfigReader(env);
  return read.done({
    host: '127.0.0.1',
    adminHost: '127.0.0.1',
    adminPort: read.port('TOCSIN_ADMIN_PORT'),
    logLevel: 'info',
    drainMs: 1_000 * read.integer('TOCSIN_DRAIN_S', { min: 1, max: 600 }, 20),
    workMs: read.integer('TOCSIN_WORK_MS', { min: 0, max: 60_000 }, 0),
    failure: read.oneOf('TOCSIN_FAILURE', ['none', 'start', 'later'], 'none'),
  });
}

await runService('sample', loadConfig, async ({ failure, workMs }, { logger }) => {
  if (failure === 'start') throw new Error('the port is taken');
  if (failure === 'later') setImmediate(() => Promise.reject(new Error('nobody caught this')));
  // Keeps the process alive, as a server would.
  const work = setInterval(() => undefined, 1_000);
  return {
    async [Symbol.asyncDispose]() {
      await sleep(workMs);
      clearInterval(work);
      logger.info('drained');
    },
  };
});
