import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Message to the baseline process. */
export interface BareRounds {
  readonly url: string;
  readonly targets: number;
  readonly intervalMs: number;
}

/**
 * Runs the footprint baseline: requests each target once per interval on a new connection, spread evenly, using only
 * Node's timers.
 */
process.once('message', ({ url, targets, intervalMs }: BareRounds) => {
  const agent = new Agent({ keepAlive: false });
  const check = (target: number) =>
    request(`${url}/check/${target}`, { agent }, (response) => response.resume())
      .on('error', fail)
      .end();
  for (let target = 0; target < targets; target += 1) {
    void delay((intervalMs / targets) * target).then(() => {
      check(target);
      setInterval(check, intervalMs, target);
    });
  }
});
process.once('disconnect', () => process.exit());

function fail(error: Error): never {
  throw error;
}
