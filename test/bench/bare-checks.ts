import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import type { BareChecks } from './checks.ts';

/**
 * Runs the baseline of the check benchmark in a separate process: sends requests on new connections, with constant
 * concurrency. Like the product, it warms up before it is measured.
 */
process.once('message', async ({ url, count, warmUp, concurrency }: BareChecks) => {
  const send = url.startsWith('https:') ? requestTls : request;
  let left = 0;

  function once(): Promise<void> {
    return new Promise((resolve, reject) => {
      const sent = send(url, { agent: false, rejectUnauthorized: false }, (response) => {
        response.resume().once('end', resolve);
      });
      sent.once('error', reject).end();
    });
  }

  async function loop(): Promise<void> {
    for (; left > 0; left -= 1) await once();
  }

  async function sendAll(requests: number): Promise<void> {
    left = requests;
    await Promise.all(Array.from({ length: concurrency }, loop));
  }

  await sendAll(warmUp);
  const began = performance.now();
  const cpu = process.cpuUsage();
  await sendAll(count);
  const { user, system } = process.cpuUsage(cpu);
  process.send?.({ seconds: (performance.now() - began) / 1000, cpuSeconds: (user + system) / 1e6 });
  process.disconnect();
});
