import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pickFreePort } from '@tocsin/dev-servers/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlocks } from '../guides.ts';
import { type Network, startNetwork } from '../network.ts';
import { admin } from './admin.ts';

/**
 * Runs the tour and the shell blocks of each document. The blocks of a document run in order in one shell, as if a
 * reader pasted them into a terminal.
 */

const run = promisify(execFile);
const WORKSPACE = join(import.meta.dirname, '../..');

interface Exchange {
  readonly request: string;
  readonly status: number;
  /** Fields of the request that the API does not know. */
  readonly ignored: string | null;
}

const guides = (await readdir(join(WORKSPACE, 'docs/guides'))).filter((name) => name.endsWith('.md')).sort();
const documents = [
  'README.md',
  'docs/command-line.md',
  'docs/grpc.md',
  'docs/oauth.md',
  ...guides.map((name) => `docs/guides/${name}`),
];

const stack = new AsyncDisposableStack();
let network: Network;
let folder: string;
let url: string;
let demoPort: number;
/** The tour waits for checks most of the time, so it runs at the same time as the guides. */
let tour: Promise<{ stdout: string }>;
const exchanges: Exchange[] = [];
beforeAll(async () => {
  network = stack.use(await startNetwork());
  folder = await mkdtemp(join(tmpdir(), 'tocsin-guides-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  url = await startRecorder();
  demoPort = await pickFreePort();
  await prepareFolder();
  const env = { ...process.env, TOCSIN_DATA_DIR: network.dataDir };
  tour = run(process.execPath, ['deploy/local/tour.ts'], { cwd: WORKSPACE, env, timeout: 180_000 });
  tour.catch(() => undefined);
});
afterAll(() => stack.disposeAsync());

/** Starts a proxy to the gateway that records each exchange. Returns its URL. */
async function startRecorder(): Promise<string> {
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const body = Buffer.concat(await request.toArray());
    const { host, connection, 'content-length': _, ...forwarded } = headers;
    const answer = await fetch(`${network.baseUrl}${path}`, {
      method,
      headers: forwarded as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    exchanges.push({
      request: `${method} ${path}`,
      status: answer.status,
      ignored: answer.headers.get('x-tocsin-ignored'),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stack.defer(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function blocksOf(document: string) {
  return codeBlocks(await readFile(join(WORKSPACE, document), 'utf8'));
}

/**
 * Creates what the documents expect: the installation's data folder, the command `npm`, which uses this checkout, and
 * the command `tocsin`.
 */
async function prepareFolder(): Promise<void> {
  await mkdir(join(folder, 'bin'));
  const commands = {
    npm: `exec npm --prefix '${WORKSPACE}' "$@"`,
    tocsin: `exec '${process.execPath}' '${WORKSPACE}/cli/src/main.ts' "$@"`,
  };
  for (const [name, command] of Object.entries(commands)) {
    const withoutItself = `export PATH="\${PATH#'${folder}/bin:'}"`;
    await writeFile(join(folder, 'bin', name), `#!/bin/sh\n${withoutItself}\n${command}\n`, { mode: 0o755 });
  }
  await symlink(network.dataDir, join(folder, '.data'));
}

/** Returns the API key of a new organization. */
async function newOrganization(): Promise<string> {
  const org = await admin(network.dataDir, 'org', 'create', '--name', 'Apart', '--owner-email', 'apart@example.com');
  const { uuid } = JSON.parse(org.stdout).organization;
  const permissions = 'monitors:read_write,alert_channels:read_write,status_pages:read_write,incidents:read_write';
  const key = await admin(network.dataDir, 'key', 'create', '--org', uuid, '--name', 'x', '--permissions', permissions);
  return JSON.parse(key.stdout).key;
}

/** Requests that the documents expect the API to refuse. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'docs/guides/api.md': ['POST /api/v1/monitors 422'],
  // The user has not allowed access yet when the document first requests a token.
  'docs/guides/oauth-programs.md': ['POST /oauth/token 400'],
};

/** Documents that call only the services and the admin command. */
const WITHOUT_API = ['docs/guides/calling-grpc.md', 'docs/guides/operating.md', 'docs/grpc.md'];

/** Patterns that the output of each document's commands must match, by document. */
const OUTPUT: Readonly<Record<string, RegExp>> = {
  'README.md':
    /"state":"up".*Operational.*"state":"down".*"auto_created":true.*Major outage.*monitor_down.*"state":"up".*"status":"resolved".*monitor_down.*monitor_recovered/s,
  'docs/guides/agents.md': /"result":\{"content":/,
  'docs/guides/calling-grpc.md': /"monitors":\[\{/,
  'docs/guides/webhooks.md': /"secret":"whsec_/,
  'docs/guides/oauth-programs.md': /Open http.* and compare the code .*authorization_pending/s,
};

test.each(documents)('the shell blocks of %s succeed, and the API knows all their request fields', async (document) => {
  const all = (await blocksOf(document)).filter(({ notRun }) => notRun === undefined);
  const blocks = all.filter(({ language, file }) => language === 'sh' && file === undefined);
  for (const { file, code } of all) if (file) await writeFile(join(folder, file), code);
  const functions = (await blocksOf('docs/guides/first-monitor.md')).find(({ code }) =>
    code.startsWith('call()'),
  )?.code;
  const script = ['set -eu -o pipefail', functions, ...blocks.map(({ code, line }) => `echo "line ${line}"\n${code}`)]
    .join('\n')
    .replaceAll('http://localhost:8080', url)
    .replaceAll(':9099', `:${demoPort}`);
  exchanges.length = 0;
  const env = {
    ...process.env,
    PATH: `${folder}/bin:${process.env.PATH}`,
    TOCSIN_URL: url,
    // The command line gets a separate organization, because it deletes resources that are not in its file.
    TOCSIN_API_KEY:
      document === 'docs/command-line.md' ? await newOrganization() : network.installation.bootstrap.api_key,
    TOCSIN_DATA_DIR: network.dataDir,
    TOCSIN_CONFIG_DIR: join(folder, 'config'),
    DEMO_PORT: String(demoPort),
  };
  // Without --norc, bash may read the user's settings, because its input is a socket.
  const { stdout } = await run('bash', ['--norc', '-c', script], { cwd: folder, env, timeout: 280_000 });
  const refusals = exchanges.filter(({ status }) => status >= 400);
  expect(refusals.map(({ request, status }) => `${request} ${status}`)).toEqual(REFUSED[document] ?? []);
  expect(exchanges.filter(({ ignored }) => ignored)).toEqual([]);
  expect(exchanges.length > 0).toBe(blocks.length > 0 && !WITHOUT_API.includes(document));
  expect(stdout).toMatch(OUTPUT[document] ?? /^/);
});

test('the programs that verify webhooks accept a valid request, and refuse a changed body, an old timestamp and a wrong secret', async () => {
  const files = (await blocksOf('docs/guides/webhooks.md')).filter(({ file }) => file !== undefined);
  for (const { file = '', code } of files) await writeFile(join(folder, file), code);
  for (const [file, code] of Object.entries(CALLERS)) await writeFile(join(folder, file), code);
  const results = await Promise.all([
    run(process.execPath, ['call.mjs'], { cwd: folder }),
    run('python3', ['call.py'], { cwd: folder }),
    run('go', ['run', 'verify.go', 'call.go'], { cwd: folder, env: { ...process.env, GOFLAGS: '-mod=mod' } }),
  ]);
  expect(files.map(({ file }) => file)).toEqual(['verify.mjs', 'verify.py', 'verify.go']);
  for (const { stdout } of results) expect(stdout.trim().toLowerCase()).toBe('true false false false');
});

test('the tour shows an outage from the first check to the recovery', async () => {
  const { stdout } = await tour;
  const seen = [...stdout.matchAll(/✓ (.+) \(\d+ s\)/g)].map(([, what]) => what);
  expect(seen).toEqual([
    'the monitor is up',
    'the monitor is down',
    'an alert arrived at the channel',
    'the page shows a major outage',
    'the monitor is up again',
    'the recovery arrived at the channel',
    'the page is calm again',
  ]);
});

test('if the services are not running, the tour shows how to start them', async () => {
  const env = { ...process.env, TOCSIN_DATA_DIR: folder };
  const failed = run(process.execPath, ['deploy/local/tour.ts'], { cwd: WORKSPACE, env });
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('run "npm start" in another'),
  });
});

/** Programs that call `verify` with a valid request, a changed body, an old timestamp and another secret. */
const CALLERS = {
  'call.mjs': `
import { createHmac } from 'node:crypto';
import { verify } from './verify.mjs';
const secret = 'whsec_' + Buffer.alloc(24, 7).toString('base64');
const sign = (at, key = Buffer.alloc(24, 7)) => {
  const signature = 'v1,' + createHmac('sha256', key).update('m.' + at + '.{}').digest('base64');
  return { 'webhook-id': 'm', 'webhook-timestamp': String(at), 'webhook-signature': 'v1,AAAA ' + signature };
};
const now = Math.floor(Date.now() / 1000);
console.log(verify(secret, sign(now), '{}'), verify(secret, sign(now), '{"a":1}'), verify(secret, sign(now - 301), '{}'),
  verify(secret, sign(now, Buffer.alloc(24, 8)), '{}'));
`,
  'call.py': `
import base64, hashlib, hmac, time
from verify import verify
def sign(at, key=bytes([7] * 24)):
    signature = base64.b64encode(hmac.new(key, f"m.{at}.".encode() + b"{}", hashlib.sha256).digest()).decode()
    return {"webhook-id": "m", "webhook-timestamp": str(at), "webhook-signature": "v1,AAAA v1," + signature}
secret = "whsec_" + base64.b64encode(bytes([7] * 24)).decode()
now = int(time.time())
print(verify(secret, sign(now), b"{}"), verify(secret, sign(now), b'{"a":1}'), verify(secret, sign(now - 301), b"{}"),
      verify(secret, sign(now, bytes([8] * 24)), b"{}"))
`,
  'call.go': `
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"time"
)

func main() {
	key := bytes.Repeat([]byte{7}, 24)
	secret := "whsec_" + base64.StdEncoding.EncodeToString(key)
	sign := func(at int64, key []byte) func(string) string {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte("m." + strconv.FormatInt(at, 10) + ".{}"))
		signature := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		return func(name string) string {
			return map[string]string{"webhook-id": "m", "webhook-timestamp": strconv.FormatInt(at, 10),
				"webhook-signature": "v1,AAAA " + signature}[name]
		}
	}
	now := time.Now().Unix()
	fmt.Println(verify(secret, sign(now, key), []byte("{}")), verify(secret, sign(now, key), []byte("{\\"a\\":1}")),
		verify(secret, sign(now-301, key), []byte("{}")), verify(secret, sign(now, bytes.Repeat([]byte{8}, 24)), []byte("{}")))
}
`,
};
