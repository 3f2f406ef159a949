import { parseArgs } from 'node:util';
import { benchApi } from './api.ts';
import { benchChecks } from './checks.ts';
import { benchFootprint } from './footprint.ts';
import { benchHeartbeats } from './heartbeats.ts';
import { benchHistory } from './history.ts';
import { benchNotify } from './notify.ts';
import { benchPage } from './page.ts';
import { benchScale } from './scale.ts';

const benches: Readonly<Record<string, (options: { readonly monitors: number | undefined }) => Promise<void>>> = {
  api: benchApi,
  checks: benchChecks,
  footprint: benchFootprint,
  heartbeats: benchHeartbeats,
  history: ({ monitors = 20 }) => benchHistory(monitors),
  notify: benchNotify,
  page: benchPage,
  scale: benchScale,
};

const usage = `npm run bench -- <name>

Measures, and prints figures as ratios to a bare baseline in the same run: machines differ, and so do hours of a day.

  api         requests through gateway, RPC and database, beside a bare node:http server that answers the same bytes
  checks      http and https checks from the schedule to the evaluated result, beside a bare loop of node:http requests
  footprint   processor, memory, punctuality and restart of 1,000 monitors at 30 s, beside a bare loop of node:http requests
  heartbeats  pings through gateway and RPC until they are stored, a second of a processor and end to end
  history     statistics of 90 days of monitors, and of 10 and 100 times as many; --monitors <n>, default 20, is some minutes of set-up
  notify      alerts from the failing ping to the receiver, in a burst and beside pings; a claim with 100,000 deliveries waiting
  page        views of a status page through the public port, beside a bare node:http server that sends the same bytes
  scale       100,000 monitors at 60 s from the schedule to the verdict, with a checker without a network; --monitors <n>
`;

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean' }, monitors: { type: 'string' } },
  allowPositionals: true,
});
const [name = ''] = positionals;
const bench = benches[name];
if (bench && !values.help)
  await bench({ monitors: values.monitors === undefined ? undefined : Number(values.monitors) });
else {
  (values.help ? process.stdout : process.stderr).write(usage);
  if (!values.help) process.exitCode = 2;
}
