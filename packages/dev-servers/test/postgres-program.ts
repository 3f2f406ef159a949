import { startPostgres } from '../src/postgres.ts';

/** Runs PostgreSQL until it is killed: `<data folder> <port> <log file>`. Writes the postmaster's number. */
const [dataDir = '', port = '', log = ''] = process.argv.slice(2);
const postgres = await startPostgres({ dataDir, port: Number(port), log });
process.stdout.write(`${postgres.pid}\n`);
