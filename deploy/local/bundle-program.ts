/**
 * Writes run-together.ts and all that it imports, including the packages, as a few files into a folder:
 *
 *   node bundle-program.ts <workspace> <folder>
 *
 * A process that loads these files needs less processor time and memory than with thousands of modules. Functions and
 * classes have their names, but stack traces name lines of the bundle, because source maps need 150 MB in the process.
 */
import { isBuiltin } from 'node:module';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { messageOf } from '@tocsin/dev-servers/problem';
import { build, type Plugin } from 'rolldown';
import { BUNDLE_ENTRY, sourcesOf } from './bundle.ts';

const [, , workspace = '', folder = ''] = process.argv;

/** Lets modules of the workspace find files beside their source, because `import.meta` describes the bundle. */
const originalPaths: Plugin = {
  name: 'original-paths',
  transform: {
    filter: { id: { exclude: /node_modules/ }, code: /import\.meta\.(url|dirname)/ },
    handler(code, id) {
      if (!isAbsolute(id)) return null;
      const source = JSON.stringify(relative(folder, id));
      const directory = JSON.stringify(`/${relative(folder, dirname(id))}`);
      return code
        .replaceAll('import.meta.url', `new URL(${source}, import.meta.url).href`)
        .replaceAll('import.meta.dirname', `(import.meta.dirname + ${directory})`);
    },
  },
};

/**
 * Escapes the other characters than ASCII of tagged templates, which `charset` leaves because a tag may use the raw
 * text. None of ours does.
 */
const asciiTemplates: Plugin = {
  name: 'ascii-templates',
  renderChunk: (code) =>
    code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
};

async function bundle(): Promise<void> {
  const { output } = await build({
    input: { [BUNDLE_ENTRY]: join(workspace, 'deploy', 'local', 'run-together.ts') },
    platform: 'node',
    plugins: [originalPaths, asciiTemplates],
    logLevel: 'silent',
    output: {
      dir: folder,
      format: 'esm',
      entryFileNames: '[name]',
      chunkFileNames: '[name]-[hash].mjs',
      keepNames: true,
      comments: false,
      // V8 stores a source with other characters in two bytes per character.
      charset: 'ascii',
    },
  });
  const chunks = output.filter((file) => file.type === 'chunk');
  // Packages that are loaded later may be missing, because the ORM uses some only if they are installed.
  const imports = chunks.flatMap((chunk) => chunk.imports);
  const missing = imports.filter((name) => !isBuiltin(name) && !chunks.some(({ fileName }) => fileName === name));
  if (missing.length > 0) throw new Error(`these packages are not installed: ${missing.join(', ')}`);
  const watched = new Set(sourcesOf(workspace).map((file) => join(workspace, file)));
  const isUnwatched = (id: string) => isAbsolute(id) && !id.includes('/node_modules/') && !watched.has(id);
  const unwatched = chunks.flatMap(({ moduleIds }) => moduleIds.filter(isUnwatched));
  if (unwatched.length > 0) throw new Error(`changes of these files would not be noticed: ${unwatched.join(', ')}`);
}

bundle().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
});
