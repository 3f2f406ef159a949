import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { startNetwork } from '../network.ts';
import { readDocument } from './document.ts';
import { hostileBody } from './hostile-bodies.ts';

/** Number of bodies for all endpoints together. Long runs set a higher number. */
const BODIES = Number(process.env.TOCSIN_HOSTILE_BODIES ?? 2_000);
const SEED = Number(process.env.TOCSIN_SEED ?? 20_261_122);

const MAX_MS = 250;
const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * Maximum number of attempts per body. A body fails the test only if every attempt is slow, because a busy machine can
 * delay single attempts.
 */
const ATTEMPTS = 3;

// Start the network here and not in beforeAll(), because the tests are generated from its OpenAPI document.
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
const network = stack.use(await startNetwork());
const document = await readDocument(network.baseUrl);
const writes = document.operations.filter(({ name, requestBody }) => requestBody && !name.startsWith('GET '));
const page = await network.api.post<{ id: string }>('/status-pages', { name: 'Page', slug: 'hostile' });
const ids: Readonly<Record<string, string>> = { 'status-pages': page.id };

test('the OpenAPI document has operations with request bodies', () => expect(writes.length).toBeGreaterThan(10));

describe.each(writes.map(({ name, requestBody }) => [name, requestBody] as const))('%s', (name, requestBody) => {
  test('the operation responds to hostile bodies within the time and size limits', async () => {
    const [method = '', template = ''] = name.split(' ');
    const path = template.replaceAll(/([\w-]+)\/\{\w+\}/g, (_, list) => `${list}/${ids[list] ?? crypto.randomUUID()}`);
    const { content } = requestBody as { content: Record<string, { schema: object }> };
    const schema = content['application/json']?.schema ?? {};
    const slow: string[] = [];
    const property = fc.asyncProperty(hostileBody(schema), async (body) => {
      let best = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < ATTEMPTS && best > MAX_MS; attempt += 1) {
        const began = performance.now();
        const response = await network.api.send(method, path, body, { 'content-type': 'application/json' });
        best = Math.min(best, performance.now() - began);
        expect(response.status, response.text.slice(0, 500)).toBeLessThan(500);
        if (response.status >= 400) expect(Buffer.byteLength(response.text)).toBeLessThan(MAX_RESPONSE_BYTES);
      }
      if (best > MAX_MS) slow.push(`${Math.round(best)} ms for ${body.length} characters: ${body.slice(0, 200)}`);
    });
    await fc.assert(property, { seed: SEED, numRuns: Math.ceil(BODIES / writes.length), endOnFailure: true });
    expect(slow).toEqual([]);
  }, 1_800_000);
});
