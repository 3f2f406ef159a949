import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as checker from '@tocsin/checker/config';
import * as disruption from '@tocsin/disruption/config';
import * as gateway from '@tocsin/gateway/config';
import * as identity from '@tocsin/identity/config';
import * as monitor from '@tocsin/monitor/config';
import * as notifier from '@tocsin/notifier/config';
import * as statuspage from '@tocsin/statuspage/config';
import { generateVaultKey } from '@tocsin/vault';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const file = join(import.meta.dirname, '..', '..', 'deploy', 'compose.yaml');
const configs = { gateway, identity, monitor, checker, disruption, statuspage, notifier };

/** Returns the value that Compose inserts for `${NAME}` and `${NAME:-default}`. */
function interpolate(text: string): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
    if (name === 'VAULT_KEYS') return generateVaultKey('k1');
    if (name === 'BASE_URL') return 'http://localhost:8080';
    if (name.endsWith('_SECRET')) return `${name.toLowerCase().replaceAll('_', '')}${'0'.repeat(32)}`;
    if (fallback === undefined) throw new Error(`the head of compose.yaml does not set ${name}`);
    return fallback;
  });
}

test.each(Object.entries(configs))('the environment of %s is a valid configuration', async (name, { loadConfig }) => {
  const { services } = parse(await readFile(file, 'utf8'), { merge: true });
  const { command, environment } = services[name];
  expect(command).toEqual([name]);
  const env = Object.fromEntries(
    Object.entries(environment as Record<string, string>).map(([key, value]) => [key, interpolate(value)]),
  );
  expect(loadConfig(env)).toBeDefined();
});

test("the admin command finds the operator's secret, and each service has the secret that identity knows", async () => {
  const { services } = parse(await readFile(file, 'utf8'), { merge: true });
  const known = Object.fromEntries(
    services.identity.environment.TOCSIN_SERVICE_SECRETS.split(',').map((part: string) => part.split(':')),
  );
  expect(Object.keys(known).sort()).toEqual([...Object.keys(configs), 'admin'].sort());
  for (const name of Object.keys(configs).filter((each) => each !== 'identity')) {
    expect(services[name].environment.TOCSIN_SERVICE_SECRET).toBe(known[name]);
  }
});

test('the head of the file names every variable without a default', async () => {
  const text = await readFile(file, 'utf8');
  const head = text.slice(0, text.indexOf('name: tocsin'));
  const names =
    /for name in ([A-Z ]+);/
      .exec(head)?.[1]
      ?.split(' ')
      .map((name) => `${name}_SECRET`) ?? [];
  const others = [...head.matchAll(/echo "([A-Z_]+)=/g)].map(([, name]) => name);
  const used = [...text.slice(head.length).matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
  expect([...new Set(used)].sort()).toEqual([...names, ...others].sort());
});
