import { pause } from '@tocsin/runtime';
import type { FastifyInstance } from 'fastify';

/**
 * Delay of a response 429 in milliseconds. A client that repeats refused requests without waiting would otherwise use
 * up the processor with them, at the cost of all others.
 */
const DELAY_MS = 200;

/** Maximum number of responses that are delayed at once. Further ones are sent at once, so that memory is bounded. */
const MAX_DELAYED = 1_000;

const TOO_MANY_REQUESTS = 429;

/** Delays responses 429 a little. Must be added before the routes. */
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
