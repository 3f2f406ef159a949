import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { rows } from './access.ts';
import type { Fixture } from './fixture.ts';
import { pathOf } from './path-of.ts';
import { readSamples, type Samples } from './reference.ts';

const run = promisify(execFile);

/** Example ids in paths. */
const EXAMPLE_ID = /0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f|mi7g1q80/g;

/** Tests that the curl samples in the reference succeed when the example ids are replaced with real ids. */
export function samples(fixture: () => Fixture): void {
  let all: Map<string, Samples>;
  beforeAll(async () => {
    all = await readSamples(fixture().network.baseUrl);
  });

  describe.each(Object.entries(rows))('%s', (name, { of }) => {
    test('the curl sample succeeds', async () => {
      const { document, network, keys } = fixture();
      const { operationId = '' } = document.operations.find((operation) => operation.name === name) ?? {};
      const path = pathOf(name, (await of?.(fixture())) ?? '');
      const parameters = [...name.matchAll(/\/\{\w+\}/g)].length;
      const segments = path.split('/');
      const ids = parameters === 0 ? [] : [segments[2], segments[4]];
      const sample = all.get(operationId)?.curl?.replace(EXAMPLE_ID, (example) => ids.shift() ?? example) ?? '';
      // Slugs are unique, and other tests use the slug of the example.
      const unique = sample.replace('"slug": "acme"', `"slug": "acme-${randomUUID()}"`);
      expect(sample).toContain(`'${network.baseUrl}/api/v1${path}'`);
      const env = { ...process.env, TOCSIN_API_KEY: keys[0] };
      const { stdout } = await run('bash', ['-c', `${unique} -sS -w '\\n%{http_code}'`], { env, encoding: 'latin1' });
      expect(stdout).toMatch(/\n20[0-9]$/);
    });
  });
}
