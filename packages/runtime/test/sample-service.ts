import { type BaseConfig, ConfigReader, type Environment, runService } from '../src/index.ts';

interface SampleConfig extends BaseConfig {
  /** Time of the failure: during the start, after it, or never. */
  readonly failure: 'none' | 'start' | 'later';
}

function loadConfig(env: Environment): SampleConfig {
  const read = new ConfigReader(env);
  return read.done({
    host: '127.0.0.1',
    adminHost: '127.0.0.1',
    adminPort: read.port('TOCSIN_ADMIN_PORT'),
    logLevel: 'info',
    failure: read.oneOf('TOCSIN_FAILURE', ['none', 'start', 'later'], 'none'),
  });
}

await runService('sample', loadConfig, async ({ failure }, { logger }) => {
  if (failure === 'start') throw new Error('the port is taken');
  if (failure === 'later') setImmediate(() => Promise.reject(new Error('nobody caught this')));
  // Keeps the process alive, as a server would.
  const work = setInterval(() => undefined, 1_000);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(work);
      logger.info('drained');
    },
  };
});
