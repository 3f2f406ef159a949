import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { scratchFolder } from '../../../packages/dev-servers/test/scratch-folder.ts';
import { BUNDLE_ENTRY, bundleServices } from '../bundle.ts';

/** Sources of a small workspace. The bundled program prints its greeting, a file beside its source, and its plans. */
const SOURCES = {
  'pnpm-lock.yaml': '',
  'deploy/local/run-together.ts': `
    import { greeting } from '../../gateway/src/greeting.ts';
    export const runTogether = async (plans: unknown) => {
      const { late } = await import('../../services/late.ts');
      console.log(greeting(), late, JSON.stringify(plans));
    };`,
  'gateway/src/greeting.ts': `
    import { readFileSync } from 'node:fs';
    import { join } from 'node:path';
    const name = readFileSync(new URL('name.txt', import.meta.url), 'utf8');
    const mark = readFileSync(join(import.meta.dirname, 'mark.txt'), 'utf8');
    const text = ([text]: TemplateStringsArray) => text;
    export const greeting = () => text\`Grüße … \` + name + mark;`,
  'gateway/src/name.txt': 'Ada',
  'gateway/src/mark.txt': '!',
  'services/late.ts': `export const late = 'loaded later';`,
  'packages/unused.ts': '',
  'proto/unused.ts': '',
};

/** A workspace whose services can be bundled, with what was said while doing so. */
async function smallWorkspace() {
  const folder = await scratchFolder();
  const workspace = folder.path;
  const steps: string[] = [];
  const write = async (file: string, content: string) => {
    await mkdir(join(workspace, file, '..'), { recursive: true });
    await writeFile(join(workspace, file), content);
  };
  for (const [file, content] of Object.entries(SOURCES)) await write(file, content);
  const bundle = () =>
    bundleServices({
      workspace,
      progress: {
        say: () => undefined,
        step(text, work) {
          steps.push(text);
          return work();
        },
      },
    });
  const start = async () => {
    const url = pathToFileURL(join(await bundle(), BUNDLE_ENTRY)).href;
    const running = promisify(execFile)(process.execPath, [join(import.meta.dirname, '..', 'one-process.ts'), url]);
    running.child.stdin?.end('[{"process":"gateway"}]');
    return (await running).stdout;
  };
  return {
    steps,
    write,
    bundle,
    start,
    bundles: () => readdir(join(workspace, 'node_modules', '.cache', 'tocsin', 'bundles')),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('a start uses the bundle of the last start, and builds another one after a source has changed', async () => {
  await using workspace = await smallWorkspace();
  expect(await workspace.start()).toBe('Grüße … Ada! loaded later [{"process":"gateway"}]\n');
  expect(await workspace.start()).toBe('Grüße … Ada! loaded later [{"process":"gateway"}]\n');
  expect(workspace.steps).toHaveLength(1);

  await workspace.write('services/late.ts', `export const late = 'changed later';`);
  expect(await workspace.start()).toBe('Grüße … Ada! changed later [{"process":"gateway"}]\n');
  expect(workspace.steps).toHaveLength(2);

  await workspace.write('services/late.ts', SOURCES['services/late.ts']);
  expect(await workspace.start()).toBe('Grüße … Ada! loaded later [{"process":"gateway"}]\n');
  expect(workspace.steps).toHaveLength(2);
});

test('the services are bundled again after packages have changed, and three bundles remain', async () => {
  await using workspace = await smallWorkspace();
  const folders: string[] = [];
  for (const lockfile of ['1', '2', '3', '4']) {
    await workspace.write('pnpm-lock.yaml', lockfile);
    folders.push(await workspace.bundle());
  }
  expect(new Set(folders).size).toBe(4);
  expect((await workspace.bundles()).toSorted()).toEqual(
    folders
      .slice(1)
      .map((folder) => folder.split('/').at(-1))
      .toSorted(),
  );
});

test.for([
  ['has a syntax error', 'export const late = ;', /late\.ts/],
  ['imports a missing package', `import 'missing-package'; export const late = '';`, /missing-package/],
  ['imports a file that is not watched', `export { late } from '../test/late.ts';`, /not be noticed.*test\/late\.ts/],
] as const)('a source that %s is an error that says so, and leaves no bundle', async ([, source, expected]) => {
  await using workspace = await smallWorkspace();
  await workspace.write('test/late.ts', `export const late = '';`);
  await workspace.write('services/late.ts', source);
  await expect(workspace.bundle()).rejects.toThrow(expected);
  await expect(workspace.bundle()).rejects.toThrow(/can't be bundled: .*npm start -- --separate/s);
  expect(await workspace.bundles()).toEqual([]);
});
