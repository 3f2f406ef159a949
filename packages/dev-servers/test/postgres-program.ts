import { startPostgres } from '../src/postgres.ts';

/**
 * Runs PostgreSQL until this program is killed, and prints the pid of the postmaster.
 * Arguments: `<data folder> <port> <log file>`.
 */
const [dataDir = '', port = '', log = ''] = process.argv.slice(2);
const postgres = await startPostgres({ dataDir, port: Number(port), log });
process.stdout.write(`${postgres.pid}\n`);
