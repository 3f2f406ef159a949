import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { codeOf, messageOf, Problem } from '@tocsin/dev-servers/problem';
import { bootstrapFile } from './bootstrap-file.ts';
import { dataFolderOf } from './data-folder.ts';
import { type RunningInstallation, startInstallation } from './installation.ts';
import { type Progress, startProgress } from './progress.ts';
import { openedForChecks } from './service-environment.ts';

const help = `Usage: npm start [-- --separate]

Starts Tocsin on this machine: PostgreSQL, NATS, six services and the gateway. Ctrl-C stops it; data stays.
All services run in one process, which saves memory. With --separate each has a process of its own, so that they
use several processors.

  TOCSIN_PORT          port of the API and of the public pages (8080)
  TOCSIN_DATA_DIR      folder for everything that is kept (.data)
  TOCSIN_DATABASE_URL  a PostgreSQL of your own; its role must be allowed to create roles and schemas
  TOCSIN_NATS_URL      a NATS server of your own, with JetStream: nats://user:password@host:4222
                       (without credentials only if TOCSIN_NATS_ALLOW_ANONYMOUS=true)
  TOCSIN_REGIONS       labels of the regions that vote, each with a checker of its own (local-a,local-b)
  TOCSIN_PROCESSES     one, or separate, which is the same as --separate (one)
  TOCSIN_HOST          address that the gateway listens on (127.0.0.1)
  TOCSIN_BASE_URL      how the world reaches the gateway (http://localhost:<port>)
  TOCSIN_SMTP_URL      where mails are handed over, smtp://user:password@host:587 (a mailbox of its own)
  TOCSIN_MAIL_FROM     who mails come from (Tocsin <tocsin@localhost>)
`;

const workspace = join(import.meta.dirname, '..', '..');

async function main(): Promise<void> {
  const { help: isHelp, separate } = startOptions();
  if (isHelp) {
    process.stdout.write(help);
    return;
  }
  // If the terminal is closed, writing to stdout fails, but all processes must still be stopped.
  process.stdout.on('error', () => undefined);
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort());

  const progress = startProgress();
  const began = performance.now();
  const dataDir = dataFolderOf(process.env, workspace);
  const env = { ...process.env, ...(separate && { TOCSIN_PROCESSES: 'separate' }) };
  const options = { workspace, dataDir, port: publicPort(), env, progress, signal: interrupted.signal };
  progress.say('Starting Tocsin');
  try {
    await using installation = await startInstallation(options);
    if (!interrupted.signal.aborted) {
      const took = performance.now() - began;
      welcome(progress, installation, { dataDir, took });
      await once(interrupted.signal);
    }
    progress.say('\nStopping');
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
  }
  progress.say('Stopped');
}

function startOptions() {
  try {
    return parseArgs({ options: { help: { type: 'boolean' }, separate: { type: 'boolean' } } }).values;
  } catch (error) {
    throw new Problem(`${messageOf(error)}\n\n${help}`);
  }
}

function publicPort(): number {
  const text = process.env.TOCSIN_PORT || '8080';
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Problem(`TOCSIN_PORT is ${JSON.stringify(text)}: it should be a port number from 1 to 65535.`);
}

function welcome(
  progress: Progress,
  { bootstrap, mailbox, signInLink }: RunningInstallation,
  { dataDir, took }: { dataDir: string; took: number },
): void {
  const file = relative(process.cwd(), bootstrapFile(dataDir));
  const shown = file.startsWith('..') ? bootstrapFile(dataDir) : file;
  const opened =
    process.env.TOCSIN_ALLOW_PRIVATE_TARGETS === undefined
      ? `\n  Checks may reach this machine itself (${openedForChecks}), which is closed elsewhere: TOCSIN_ALLOW_PRIVATE_TARGETS`
      : '';
  progress.say(`
Tocsin is ready (${(took / 1000).toFixed(1)} s). Ctrl-C stops it.

  Base URL   ${bootstrap.base_url}
  API key    in ${shown}, as "api_key"${signInLink ? `\n  Sign in    ${signInLink} (once, within 15 minutes)` : ''}
  Logs       ${join(dataDir, 'logs')}${mailbox ? `\n  Mailbox    ${mailbox.url}, where every mail is shown and none is delivered` : ''}${opened}

Try:

  KEY=$(node -p 'JSON.parse(fs.readFileSync("${shown}")).api_key')
  curl -H "Authorization: Bearer $KEY" ${bootstrap.base_url}/api/v1/me
`);
}

function once(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    // The interval keeps the process alive, which a pending promise would not do.
    const alive = setInterval(() => undefined, 2 ** 30);
    signal.addEventListener('abort', () => {
      clearInterval(alive);
      resolve();
    });
  });
}

main().catch((error: unknown) => {
  process.exitCode = 1;
  if (error instanceof Problem) process.stderr.write(`\n${error.message}\n`);
  else if (codeOf(error) === 'ENOSPC') process.stderr.write(`\nThe disk is full: ${messageOf(error)}\n`);
  else process.stderr.write(`\n${error instanceof Error ? error.stack : String(error)}\n`);
});
