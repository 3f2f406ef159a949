import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type LocalNats, type NatsUser, natsUrl, startNats } from '@tocsin/dev-servers/nats';
import { inject } from 'vitest';
import { freePort } from './free-port.ts';

export interface TestNats extends AsyncDisposable {
  /** URL with credentials. It is the same before and after an outage. */
  readonly url: string;
  /** Starts an outage by stopping the server. The streams stay on disk. */
  stop(): Promise<void>;
  /** Starts an outage in which all streams are lost. */
  loseStore(): Promise<void>;
  /** Ends the outage by starting the server again. */
  start(): Promise<void>;
}

/** A user with all permissions on a test's server. */
const USER: NatsUser = { name: 'test', password: 'test-password' };

/** Starts a NATS server with JetStream. Disposing stops the server and deletes its data. */
export async function testNats(): Promise<TestNats> {
  const binary = inject('natsServer');
  const dataDir = await mkdtemp(join(inject('runFolder'), 'nats-'));
  const port = await freePort();
  const launch = () => startNats({ dataDir, port, binary, users: [USER], log: join(dataDir, 'nats.log') });

  let server: LocalNats | undefined = await launch();
  async function stop(): Promise<void> {
    await server?.stop();
    server = undefined;
  }
  return {
    url: natsUrl(port, USER),
    stop,
    async loseStore() {
      await stop();
      await rm(join(dataDir, 'streams'), { recursive: true, force: true });
    },
    async start() {
      server ??= await launch();
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
