import { supervise } from '../src/processes.ts';

/** Supervises a process that runs for an hour, and prints its process id. Arguments: <pid file> <log file> */
const [pidFile = '', logFile = ''] = process.argv.slice(2);
const plan = { name: 'sleeper', command: 'sleep', args: ['3600'], env: { PATH: process.env.PATH ?? '' } };
const sleeper = supervise({ ...plan, pidFile, logFile }, () => undefined);
await sleeper.ready(async () => sleeper.pid !== undefined);
process.stdout.write(`${sleeper.pid}\n`);
