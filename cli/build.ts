import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';

/** File to which the command is written. */
const [, , file = join(import.meta.dirname, 'dist', 'tocsin.js')] = process.argv;

await build({
  input: join(import.meta.dirname, 'src', 'main.ts'),
  platform: 'node',
  output: { file, format: 'esm', minify: true, codeSplitting: false, banner: '#!/usr/bin/env node' },
});
await chmod(file, 0o755);
