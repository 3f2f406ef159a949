import type { Database } from '@tocsin/database';
import { startConsumer } from '../src/index.ts';
import { openEvents, recording, source, startReplica } from './outbox-fixture.ts';

/** Consumes events until it is killed. Arguments: <database URL> <NATS URL> <consumer> [die-after-commit] */
const [databaseUrl = '', natsUrl = '', name = '', death] = process.argv.slice(2);
const opened = await openEvents(databaseUrl);
const { nats, runtime } = await startReplica(natsUrl);

/**
 * A database that kills this process immediately after the commit of a transaction, before the event is acknowledged.
 */
const dying: Database = {
  url: opened.url,
  get endedTransactions() {
    return opened.endedTransactions;
  },
  async transaction(...call) {
    const result = await opened.transaction(...call);
    process.kill(process.pid, 'SIGKILL');
    return result;
  },
  read: (scope, sql, parameters) => opened.read(scope, sql, parameters),
  count: (scope, sql, parameters) => opened.count(scope, sql, parameters),
  ping: () => opened.ping(),
  [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
};

const database = death === 'die-after-commit' ? dying : opened;
process.stdout.write('ready\n');
// So little memory that events also wait in the database.
const memoryBytes = 20_000;
await startConsumer({ name, source, handlers: [recording(name)], database, nats, runtime, memoryBytes });
