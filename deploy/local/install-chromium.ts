import { findChromium, installChromium } from '@tocsin/dev-servers/find-chromium';
import { Problem } from '@tocsin/dev-servers/problem';

try {
  const found = await findChromium(process.env);
  process.stdout.write(`Chromium: ${found ?? (await installChromium(process.env))}\n`);
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
