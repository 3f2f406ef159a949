import { parseArgs } from 'node:util';
import { benchApi } from './api.ts';

const benches: Readonly<Record<string, () => Promise<void>>> = { api: benchApi };

const usage = `npm run bench -- <name>

Measures, and prints figures as ratios to a bare baseline in the same run: machines differ, and so do hours of a day.

  api    requests through gateway, RPC and database, beside a bare node:http server that answers the same bytes
`;

const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });
const [name = ''] = positionals;
const bench = benches[name];
if (bench && !values.help) await bench();
else {
  (values.help ? process.stdout : process.stderr).write(usage);
  if (!values.help) process.exitCode = 2;
}
