import { installChromium } from '@tocsin/dev-servers/find-chromium';
import { Problem } from '@tocsin/dev-servers/problem';

try {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  process.stdout.write(`Chromium: ${await installChromium(process.env, say)}\n`);
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
