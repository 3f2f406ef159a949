import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { findEndpoints, revokeToken, startDeviceLogin } from '../api/oauth.ts';
import { clientWithKey } from '../api/session.ts';
import { baseUrlOf } from '../api/url.ts';
import { type Call, type Command, JSON_OPTION, printJson } from '../command.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT, UsageError } from '../errors.ts';
import { get, textOf } from '../json.ts';
import { type Credential, changeSettings, readSettings } from '../settings.ts';
import { oneLine } from '../terminal/text.ts';

const SCOPE = 'monitors:read_write status_pages:read_write alert_channels:read_write incidents:read_write';

const login: Command = {
  name: 'login',
  summary: 'Sign in to an installation',
  details:
    'Without --api-key, you confirm a code in a browser, which can be on another computer. With it, the key is read from\nthe terminal or from stdin. The credential is stored in ~/.config/tocsin/config.json, which only you can read.',
  options: {
    'api-key': { type: 'boolean', help: 'Use an API key' },
    scope: { type: 'string', value: 'LIST', help: `Permissions to ask for; default: ${SCOPE}` },
  },
  examples: [
    'tocsin login --url https://tocsin.example.com',
    'tocsin login --url https://tocsin.example.com --scope monitors:read',
    'echo "$KEY" | tocsin login --url https://tocsin.example.com --api-key',
  ],
  async run(call) {
    const { context } = call;
    const baseUrl = await urlForLogin(call);
    if (isExposed(baseUrl)) context.stderr.write('warning: the connection is not encrypted; use an https URL.\n');
    const credential = call.has('api-key')
      ? ({ kind: 'api_key', apiKey: await readKey(context) } as const)
      : await signInByDevice(baseUrl, call.text('scope') ?? SCOPE, context);
    const token = credential.kind === 'api_key' ? credential.apiKey : credential.accessToken;
    const { organization } = await clientWithKey(baseUrl, token, context).data('GET', '/me');
    await changeSettings(context.env, ({ credentials }) => ({
      current: baseUrl,
      credentials: { ...credentials, [baseUrl]: credential },
    }));
    context.stderr.write(`Signed in to ${oneLine(textOf(get(organization, 'name')))} at ${baseUrl}.\n`);
    return undefined;
  },
};

const logout: Command = {
  name: 'logout',
  summary: 'Delete the stored credential, and end the access that "login" was given',
  examples: ['tocsin logout'],
  async run(call) {
    const { context } = call;
    const baseUrl = await call.baseUrl();
    const credential = (await readSettings(context.env)).credentials[baseUrl];
    if (!credential) throw new CliError(EXIT.signedOut, `You are not signed in to ${baseUrl}.`);
    await forget(baseUrl, context);
    if (credential.kind === 'api_key') {
      context.stderr.write('The API key was deleted here. It stays valid until it is revoked.\n');
      return undefined;
    }
    try {
      await revokeToken(await findEndpoints(baseUrl, context), credential.refreshToken, context);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const where = `${baseUrl}/account/programs`;
      throw new CliError(error.exitCode, `${error.message}\nYou are signed out here. End the access at ${where}`);
    }
    context.stderr.write(`Signed out of ${baseUrl}.\n`);
    return undefined;
  },
};

const whoami: Command = {
  name: 'whoami',
  summary: 'Show the organization, the credential and its permissions',
  options: { json: JSON_OPTION },
  examples: ['tocsin whoami', "tocsin whoami --json | jq '.limits'"],
  async run(call) {
    const client = await call.client();
    const me = await client.data('GET', '/me');
    if (call.has('json')) printJson(call.context, me);
    else {
      const permissions = get(me.credential, 'permissions');
      const lines = [
        ['url', client.baseUrl],
        ['organization', textOf(get(me.organization, 'name'))],
        ['credential', `${textOf(get(me.credential, 'name'))} (${textOf(get(me.credential, 'kind'))})`],
        ['permissions', Array.isArray(permissions) ? permissions.join(' ') : ''],
      ];
      for (const [name = '', value = ''] of lines) {
        call.context.stdout.write(`${name.padEnd(12)}  ${oneLine(value)}\n`);
      }
    }
    return undefined;
  },
};

export const signInCommands: readonly Command[] = [login, logout, whoami];

async function urlForLogin(call: Call): Promise<string> {
  const url = call.text('url') ?? call.context.env.TOCSIN_URL;
  if (url) return baseUrlOf(url);
  const { current } = await readSettings(call.context.env);
  if (current !== '') return current;
  throw new UsageError('Which installation? Add --url https://tocsin.example.com');
}

/**
 * Returns whether other machines on the network can read requests to a URL: it is not https, and its host is not this
 * machine.
 */
function isExposed(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

async function signInByDevice(baseUrl: string, scope: string, context: Context): Promise<Credential> {
  const device = await startDeviceLogin(await findEndpoints(baseUrl, context), scope, context);
  context.stderr.write(`Open ${device.url}\nand confirm the code ${device.userCode}. Waiting …\n`);
  return device.tokens();
}

async function readKey({ stdin, stderr, signal }: Context): Promise<string> {
  const key = (stdin.isTTY ? await prompt(stdin, stderr, signal) : await readAll(stdin)).trim();
  if (key === '') throw new UsageError('There is no API key on stdin.');
  return key;
}

/** Reads a line from the terminal without showing it. */
async function prompt(stdin: Context['stdin'], stderr: Context['stderr'], signal: AbortSignal): Promise<string> {
  stderr.write('API key: ');
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: stdin, output, terminal: true });
  try {
    return await reader.question('', { signal });
  } finally {
    reader.close();
    stderr.write('\n');
  }
}

async function forget(baseUrl: string, { env }: Context): Promise<void> {
  await changeSettings(env, ({ current, credentials }) => {
    const others = Object.entries(credentials).filter(([url]) => url !== baseUrl);
    return {
      current: current === baseUrl ? (others[0]?.[0] ?? '') : current,
      credentials: Object.fromEntries(others),
    };
  });
}
