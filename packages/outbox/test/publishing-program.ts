import { setTimeout as pause } from 'node:timers/promises';
import { startRelay } from '../src/index.ts';
import { openEvents, organizationId, sayIn, startReplica } from './outbox-fixture.ts';

/** Appends and relays events until it is killed. Arguments: <database URL> <NATS URL> <aggregate id> … */
const [databaseUrl = '', natsUrl = '', ...aggregates] = process.argv.slice(2);
const database = await openEvents(databaseUrl);
const { nats, runtime } = await startReplica(natsUrl);
startRelay({ databaseUrl, nats, runtime });
process.stdout.write('ready\n');

for (let round = 0; ; round += 1) {
  const aggregateId = aggregates[Math.floor(Math.random() * aggregates.length)] ?? '';
  const texts = Array.from({ length: 1 + (round % 3) }, () => crypto.randomUUID());
  const changesItsMind = round % 5 === 4;
  await database
    .transaction({ organizationId }, async (tx) => {
      await sayIn(tx, aggregateId, texts);
      if (changesItsMind) throw new RangeError('rolled back');
    })
    .catch((error: unknown) => {
      if (!(error instanceof RangeError)) throw error;
    });
  await pause(5);
}
