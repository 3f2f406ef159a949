import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { scratchFolder } from '../../../packages/dev-servers/test/scratch-folder.ts';

const folder = join(import.meta.dirname, '..');

/** Writes the URLs of all loaded modules to a file at the end. A pipe would lose those that it can't hold. */
const LIST_MODULES = `
  import { writeFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  process.on('exit', () => writeFileSync(process.env.MODULES_FILE, urls.join('\\n')));
`;

/** Returns the URLs of the modules that a program of this folder loads before it has any work. */
async function modulesOf(program: string): Promise<string> {
  await using scratch = await scratchFolder();
  const file = join(scratch.path, 'modules');
  const hook = `data:text/javascript,${encodeURIComponent(LIST_MODULES)}`;
  const running = promisify(execFile)(process.execPath, ['--import', hook, join(folder, program)], {
    env: { ...process.env, MODULES_FILE: file },
  });
  running.child.stdin?.end('[]');
  await running;
  return readFile(file, 'utf8');
}

test('the set-up program does not load the ORM, which only new migrations need', async () => {
  const modules = await modulesOf('set-up-program.ts');
  expect(modules).toContain('/packages/database/src/index.ts');
  expect(modules).not.toMatch(/@mikro-orm|kysely/);
});

test('the process of all services loads what few installations use only when it is used', async () => {
  const modules = await modulesOf('one-process.ts');
  expect(modules).toContain('/gateway/src/service.ts');
  expect(modules).not.toMatch(
    /exporter-trace-otlp|sdk-metrics|@simplewebauthn|@modelcontextprotocol|badge-maker|oidc-provider/,
  );
});
