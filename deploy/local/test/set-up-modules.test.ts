import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');

/** Prints the URLs of all loaded modules at the end. */
const LIST_MODULES = `
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  process.on('exit', () => console.log(urls.join('\\n')));
`;

/** Returns the URLs of the modules that a program of this folder loads before it has any work. */
async function modulesOf(program: string): Promise<string> {
  const hook = `data:text/javascript,${encodeURIComponent(LIST_MODULES)}`;
  const running = promisify(execFile)(process.execPath, ['--import', hook, join(folder, program)], {
    maxBuffer: 16 * 1024 * 1024,
  });
  running.child.stdin?.end('[]');
  const { stdout } = await running;
  return stdout;
}

test('the set-up program does not load the ORM, which only new migrations need', async () => {
  const modules = await modulesOf('set-up-program.ts');
  expect(modules).toContain('/packages/database/src/index.ts');
  expect(modules).not.toMatch(/@mikro-orm|kysely/);
});

test('the process of all services loads what few installations use only when it is used', async () => {
  const modules = await modulesOf('one-process.ts');
  expect(modules).toContain('/gateway/src/service.ts');
  expect(modules).not.toMatch(/exporter-trace-otlp|sdk-metrics|@simplewebauthn|@modelcontextprotocol/);
});
