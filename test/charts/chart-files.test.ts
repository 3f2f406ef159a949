import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { chartsFolder } from './helm.ts';

test('templates use neither random values nor the state of the cluster', async () => {
  for (const chart of ['tocsin', 'tocsin-region', 'tocsin-pods']) {
    const folder = join(chartsFolder, chart, 'templates');
    for (const file of await readdir(folder, { recursive: true })) {
      if (!/\.(yaml|tpl|txt)$/.test(file)) continue;
      const text = await readFile(join(folder, file), 'utf8');
      expect([file, /\b(rand[A-Z]\w*|genCA|genSignedCert|uuidv4|now|lookup)\b/.exec(text)?.[0]]).toEqual([
        file,
        undefined,
      ]);
    }
  }
});

test('alerts and dashboard use metrics that exist, and each alert has a runbook', async () => {
  const root = join(chartsFolder, '..', '..');
  const alerts = parse(await readFile(join(chartsFolder, 'tocsin/files/alerts.yaml'), 'utf8'));
  const dashboard = await readFile(join(chartsFolder, 'tocsin/files/dashboard.json'), 'utf8');
  const expressions = [...alerts.map(({ expr }: { expr: string }) => expr), dashboard].join('\n');
  const used = new Set(expressions.match(/tocsin_\w+?(?=_bucket|_count|_sum|\b)/g));
  expect(used.size).toBeGreaterThan(10);
  const members = ['packages', 'services'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((member) => join(root, folder, member, 'src')),
  );
  const sources = [...members, join(root, 'gateway/src')].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(folder, file), 'utf8')),
  );
  const text = sources.join('\n');
  expect([...used].filter((metric) => !text.includes(`'${metric}'`))).toEqual([]);
  const runbooks = await readFile(join(root, 'docs/operations/runbooks.md'), 'utf8');
  const without = alerts
    .map(({ alert }: { alert: string }) => alert)
    .filter((alert: string) => !runbooks.includes(`## ${alert}\n`));
  expect(without).toEqual([]);
});
