import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkImports, violationsIn } from './check-imports.ts';

const forbidden: [file: string, specifier: string][] = [
  ['services/monitor/src/domain/rounds/evaluate.ts', '../../storage/monitors/monitor-store.ts'],
  ['services/monitor/src/domain/rounds/evaluate.ts', 'node:crypto'],
  ['services/monitor/src/domain/rounds/evaluate.ts', 'uuid'],
  ['services/monitor/src/domain/rounds/evaluate.ts', '@tocsin/runtime'],
  ['services/monitor/src/domain/http/config.ts', '../../app/ports.ts'],
  ['services/monitor/src/storage/monitors/monitor-entity.ts', '../../app/ports.ts'],
  ['services/monitor/src/storage/monitors/monitor-entity.ts', '@tocsin/proto/monitor/v1/monitor'],
  ['services/monitor/src/app/monitors/pause-monitor.ts', '../../wire/monitor.ts'],
  ['services/monitor/src/app/monitors/pause-monitor.ts', '../../clients/notifier-channels.ts'],
  ['services/monitor/src/app/monitors/pause-monitor.ts', '../../consumers/on-channel-deleted.ts'],
  ['services/monitor/src/rpc/monitor-rpc.ts', '../storage/monitor-store.ts'],
  ['services/monitor/src/consumers/on-channel-deleted.ts', '../storage/monitor-store.ts'],
  ['services/monitor/src/events/outgoing.ts', '../app/ports.ts'],
  ['services/monitor/src/clients/notifier-channels.ts', '../app/monitors/pause-monitor.ts'],
  ['services/monitor/src/clients/notifier-channels.ts', '@tocsin/database'],
  ['services/notifier/src/channels/slack/slack.ts', '../../storage/channel-store.ts'],
  ['services/statuspage/src/web/page.ts', '../storage/page-store.ts'],
  ['services/monitor/src/service.ts', '@tocsin/identity/service'],
  ['services/monitor/src/service.ts', '../../identity/src/service.ts'],
  ['services/monitor/src/service.ts', '@tocsin/testing'],
  ['services/monitor/src/config.ts', '@tocsin/dev-servers/ports'],
  ['gateway/src/routes/monitors.ts', '@tocsin/database'],
  ['gateway/src/routes/monitors.ts', '@tocsin/monitor/config'],
  ['packages/runtime/src/index.ts', '@tocsin/monitor/config'],
  ['packages/runtime/src/index.ts', '../../errors/src/rpc.ts'],
  ['packages/runtime/src/index.ts', '@tocsin/testing'],
];

test.each(forbidden)('file %s may not import %s', (file, specifier) => {
  expect(violationsIn(file, `import { it } from '${specifier}';`)).toEqual([
    expect.stringContaining(`${file}: may not import ${specifier}`),
  ]);
});

const allowed: [file: string, specifier: string][] = [
  ['services/monitor/src/domain/rounds/evaluate.ts', './round.ts'],
  ['services/monitor/src/domain/http/config.ts', '../monitor.ts'],
  ['services/monitor/src/domain/validate.ts', '@tocsin/errors'],
  ['services/monitor/src/domain/rounds/evaluate.test.ts', 'node:crypto'],
  ['services/monitor/src/storage/monitors/monitor-store.ts', '../../domain/monitors/monitor.ts'],
  ['services/monitor/src/storage/monitors/monitor-store.ts', '@tocsin/database'],
  ['services/monitor/src/app/monitors/pause-monitor.ts', '../../events/outgoing.ts'],
  ['services/monitor/src/app/monitors/pause-monitor.ts', 'uuid'],
  ['services/monitor/src/wire/monitor.ts', '../domain/monitors/monitor.ts'],
  ['services/monitor/src/wire/monitor.ts', '@tocsin/proto/monitor/v1/monitor'],
  ['services/monitor/src/events/outgoing.ts', '../wire/monitor.ts'],
  ['services/monitor/src/consumers/on-check-results.ts', '@tocsin/work-queue'],
  ['services/notifier/src/channels/slack/slack.ts', '../../app/ports.ts'],
  ['services/notifier/src/channels/slack/slack.ts', '../post.ts'],
  ['services/notifier/src/channels/post.ts', '@tocsin/netguard'],
  ['services/monitor/src/service.ts', './storage/schema.ts'],
  ['services/monitor/src/service.ts', '@tocsin/work-queue'],
  ['gateway/src/routes/monitors.ts', '../clients/credentials.ts'],
  ['gateway/src/routes/monitors.ts', '@tocsin/proto/monitor/v1/monitor'],
  ['packages/testing/src/test-nats.ts', '@tocsin/dev-servers/nats'],
];

test.each(allowed)('file %s may import %s', (file, specifier) => {
  expect(violationsIn(file, `import { it } from '${specifier}';`)).toEqual([]);
});

const spellings = [
  "import it from 'uuid';",
  "import type { It } from 'uuid';",
  "import {\n  one,\n  two,\n} from 'uuid';",
  "import 'uuid';",
  "export { it } from 'uuid';",
  "const it = await import('uuid');",
  "type It = import('uuid').It;",
];

test.each(spellings)('the import %j is detected', (source) => {
  const file = 'services/monitor/src/domain/monitors/monitor.ts';
  expect(violationsIn(file, `/** First. */\n${source}\n`)).toHaveLength(1);
});

test('a service folder without a rule is reported', () => {
  expect(violationsIn('services/monitor/src/helpers/misc.ts', '')).toEqual([
    expect.stringContaining('services/monitor/src/helpers/misc.ts: no import rule is known for this folder'),
  ]);
});

test('text and comments that look like imports are ignored', () => {
  const source = "/* import it from 'uuid'; */\n// import 'uuid';\nexport const label = 'uuid';\n";
  expect(violationsIn('services/monitor/src/domain/monitors/monitor.ts', source)).toEqual([]);
});

test('a forbidden import is reported in nested folders, and test code may import anything', async () => {
  const root = await mkdtemp(join(tmpdir(), 'imports-'));
  try {
    const write = async (file: string) => {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), "import { find } from '../../storage/monitors/monitor-store.ts';\n");
    };
    await write('services/monitor/src/domain/rounds/evaluate.ts');
    await write('services/monitor/src/app/monitors/pause-monitor.ts');
    await write('services/monitor/src/domain/rounds/evaluate.test.ts');
    expect(await checkImports(root)).toEqual([
      expect.stringMatching(
        /^services\/monitor\/src\/domain\/rounds\/evaluate\.ts: may not import \.\.\/\.\.\/storage/,
      ),
    ]);
  } finally {
    await rm(root, { recursive: true });
  }
});
