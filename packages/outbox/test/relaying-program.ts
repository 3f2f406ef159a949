import { startRelay } from '../src/index.ts';
import { startReplica } from './outbox-fixture.ts';

/** Relays events until it is killed. Arguments: <database URL> <NATS URL> */
const [databaseUrl = '', natsUrl = ''] = process.argv.slice(2);
const { nats, runtime } = await startReplica(natsUrl);
startRelay({ databaseUrl, nats, runtime });
process.stdout.write('ready\n');
