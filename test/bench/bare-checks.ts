import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import type { BareChecks, BareCosts, Cost } from './checks.ts';

/**
 * Runs the baseline of the check benchmark in a separate process: sends requests on new connections, with constant
 * concurrency. Measures the first requests, and then requests after two bursts, as those of the product.
 */
process.once('message', async ({ url, count, concurrency }: BareChecks) => {
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

  async function measureAll(): Promise<Cost> {
    const began = performance.now();
    const cpu = process.cpuUsage();
    await sendAll(count);
    const { user, system } = process.cpuUsage(cpu);
    return { seconds: (performance.now() - began) / 1000, cpuSeconds: (user + system) / 1e6 };
  }

  const cold = await measureAll();
  await sendAll(count);
  const costs: BareCosts = { cold, warm: await measureAll() };
  process.send?.(costs);
  process.disconnect();
});
