import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JOB_STREAM, jobConsumer, RESULT_STREAM } from '@tocsin/work-queue';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../services/checker/src/config.ts';
import { chartsFolder } from './helm.ts';

const root = join(chartsFolder, '..', '..');

/** Lanes of a checker that run browsers, each with TOCSIN_CHECKER_BROWSERS slots: see check-lanes.ts. */
const BROWSER_LANES = 2;

/** Memory of a checker without browsers, in MiB. Other programs have this limit. */
const CHECKER_MEMORY_MB = 512;

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

test('the KEDA triggers in the example values name the streams and consumers that the programs use', async () => {
  const { monitor, checker } = parse(await readFile(join(chartsFolder, 'tocsin/ci/keda-values.yaml'), 'utf8'));
  const namesOf = ({ keda }: { keda: { triggers: { metadata: { stream: string; consumer: string } }[] } }) =>
    keda.triggers.map(({ metadata }) => [metadata.stream, metadata.consumer]);
  expect(namesOf(checker)).toEqual([[JOB_STREAM, jobConsumer('local')]]);
  const results = await readFile(join(root, 'services/monitor/src/consumers/on-check-results.ts'), 'utf8');
  expect(namesOf(monitor)).toEqual([[RESULT_STREAM, /const DURABLE = '(.*)';/.exec(results)?.[1]]]);
});

test.each([
  ['tocsin', 'checker'],
  ['tocsin-region', 'global'],
])(
  'the memory limit of checkers in the chart %s is enough for all browsers that may run at once',
  async (chart, key) => {
    const { [key]: settings } = parse(await readFile(join(chartsFolder, chart, 'values.yaml'), 'utf8'));
    const [, gibibytes] = /^([\d.]+)Gi$/.exec(settings.resources.limits.memory) ?? [];
    const { browsers, synthetic } = loadConfig({
      TOCSIN_IDENTITY_URL: 'http://identity',
      TOCSIN_MONITOR_URL: 'http://monitor',
      TOCSIN_NATS_URL: 'nats://checker:secret@nats:4222',
      TOCSIN_SERVICE_SECRET: 'secret',
      ...settings.env,
    });
    expect(Number(gibibytes) * 1024).toBeGreaterThanOrEqual(
      BROWSER_LANES * browsers * synthetic.memoryMb + CHECKER_MEMORY_MB,
    );
  },
);

test('an alert fires for each program without a process, except the checker', async () => {
  const alerts: { alert: string; expr: string }[] = parse(
    await readFile(join(chartsFolder, 'tocsin/files/alerts.yaml'), 'utf8'),
  );
  const absent = alerts.find(({ alert }) => alert === 'TocsinProgramMissing')?.expr ?? '';
  const programs = Object.keys(await readComponents()).filter((name) => name !== 'checker');
  expect(absent.split(' or ')).toEqual(
    programs.map(
      (name) =>
        `label_replace(absent(up{namespace="NAMESPACE",job=~"FULLNAME-${name}(-admin)?"}), "component", "${name}", "", "")`,
    ),
  );
});

test('the ports and callers in the documentation are the same as in the chart', async () => {
  const components = await readComponents();
  expect(Object.keys(components)).toHaveLength(7);
  const page = await readFile(join(root, 'docs/operations/kubernetes.md'), 'utf8');
  for (const [name, { port, adminPort, callers }] of Object.entries(components)) {
    const [, ...cells] = new RegExp(`^\\| ${name} +\\| (\\d+) +\\| (\\d+) +\\| (.*?) +\\|`, 'm').exec(page) ?? [];
    const { [2]: calledBy = '' } = cells;
    expect([name, ...cells.slice(0, 2).map(Number)]).toEqual([name, port, adminPort]);
    expect(callers.filter((caller) => !calledBy.includes(caller))).toEqual([]);
  }
});

async function readComponents(): Promise<Record<string, { port: number; adminPort: number; callers: string[] }>> {
  const template = await readFile(join(chartsFolder, 'tocsin/templates/_components.tpl'), 'utf8');
  const [, definition = ''] = /define "tocsin.components" -}}\n(.*?)\n{{- end/s.exec(template) ?? [];
  return parse(definition);
}
