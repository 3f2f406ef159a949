import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';

const MIN_NODE = [22, 13];

/**
 * First lines of the built file. They stop the program if Node.js is older than `MIN_NODE`. Without them, a command
 * could fail halfway with a stack trace of minified code.
 */
const BANNER = `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${MIN_NODE[0]} || (major === ${MIN_NODE[0]} && minor < ${MIN_NODE[1]})) {
  process.stderr.write(\`tocsin needs Node.js ${MIN_NODE.join('.')} or later; this is \${process.versions.node}.\\n\`);
  process.exit(2);
}`;

/** Output file of the build. */
const [, , file = join(import.meta.dirname, 'dist', 'tocsin.js')] = process.argv;

await build({
  input: join(import.meta.dirname, 'src', 'main.ts'),
  platform: 'node',
  output: { file, format: 'esm', minify: true, codeSplitting: false, banner: BANNER },
});
await chmod(file, 0o755);
