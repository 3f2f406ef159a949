import { pause } from '@tocsin/runtime';
import type { FastifyInstance } from 'fastify';

/**
 * Delay of a 429 response in milliseconds. Without it, a client that repeats refused requests without a pause could use
 * up all processor time.
 */
const DELAY_MS = 200;

/**
 * Maximum number of responses that are delayed at the same time. Responses beyond this number are sent at once, to
 * limit memory use.
 */
const MAX_DELAYED = 1_000;

const TOO_MANY_REQUESTS = 429;

/** Delays 429 responses. Must be called before the routes are added. */
export function delayRefusals(
  app: FastifyInstance,
  { delayMs, maxDelayed }: { delayMs: number; maxDelayed: number } = { delayMs: DELAY_MS, maxDelayed: MAX_DELAYED },
): void {
  let delayed = 0;
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());
  app.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode !== TOO_MANY_REQUESTS || delayed >= maxDelayed) return;
    delayed += 1;
    await pause(delayMs, closing.signal);
    delayed -= 1;
  });
}
