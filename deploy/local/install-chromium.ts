import { findChromium, installChromium } from './find-chromium.ts';
import { Problem } from './problem.ts';

try {
  const found = await findChromium(process.env);
  process.stdout.write(`Chromium: ${found ?? (await installChromium(process.env))}\n`);
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
