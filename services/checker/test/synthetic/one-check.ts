import { syntheticProbe } from '../../src/probes/synthetic/synthetic-probe.ts';

// Runs one synthetic check in a process that a test kills. The arguments are the script and the path to Chromium.

const [script = '', chromium = ''] = process.argv.slice(2);
const check = syntheticProbe({
  chromium,
  chromiumSandbox: 'auto',
  allowPrivateTargets: '127.0.0.1/32',
  closedPorts: new Set<number>(),
  memoryMb: 1_024,
  warn: () => undefined,
});
await check(JSON.stringify({ script }), 60_000, new Map());
