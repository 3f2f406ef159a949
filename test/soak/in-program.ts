import { readFileSync } from 'node:fs';
import type { ProgramSetup } from './program-setup.ts';

/**
 * Module that each program of a soak loads before its own code. It redirects the program's connections to other
 * programs and servers through the soak's proxies, and sets the program's clock ahead by the number of milliseconds in
 * its clock file.
 */

const CLOCK_EVERY_MS = 50;

const { TOCSIN_SOAK: setupFile = '', TOCSIN_ADMIN_PORT: adminPort = '' } = process.env;
const setups: Record<string, ProgramSetup> = JSON.parse(readFileSync(setupFile, 'utf8'));
const setup = setups[adminPort];
if (!setup) throw new Error(`${setupFile} has no program with the admin port ${adminPort}`);

for (const [variable, port] of Object.entries(setup.ports)) {
  const url = new URL(process.env[variable] ?? '');
  url.port = String(port);
  // PostgreSQL would otherwise be reached through its Unix socket.
  url.searchParams.delete('host');
  process.env[variable] = url.href;
}

const RealDate = Date;
let aheadMs = 0;
const readClock = () => {
  aheadMs = Number(readFileSync(setup.clockFile, 'utf8')) || 0;
};
readClock();
setInterval(readClock, CLOCK_EVERY_MS).unref();

globalThis.Date = new Proxy(RealDate, {
  construct(target, parameters, newTarget) {
    return Reflect.construct(target, parameters.length > 0 ? parameters : [target.now() + aheadMs], newTarget);
  },
  apply: () => new Date().toString(),
  get(target, property, receiver) {
    return property === 'now' ? () => target.now() + aheadMs : Reflect.get(target, property, receiver);
  },
});
