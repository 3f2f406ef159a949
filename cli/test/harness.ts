import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Context } from '../src/context.ts';
import { run } from '../src/run.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An HTTP server whose responses a test determines. */
export interface FakeApi extends AsyncDisposable {
  readonly url: string;
  readonly requests: SeenRequest[];
}

/**
 * Starts a server that sends what `answer` returns. If `answer` returns undefined, the server closes the connection.
 */
export async function startFakeApi(answer: (request: SeenRequest) => Reply | undefined): Promise<FakeApi> {
  const requests: SeenRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: await text(incoming) };
    requests.push(request);
    const reply = answer(request);
    if (!reply) return void response.destroy();
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(reply.body === undefined ? '' : JSON.stringify(reply.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Duration of each wait, in milliseconds. */
  readonly waits: readonly number[];
}

/** Runs a command line in this process. Waits take no time. */
export async function runCommand(args: readonly string[], env: NodeJS.ProcessEnv, stdin = ''): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  let now = Date.now();
  const waits: number[] = [];
  const context: Context = {
    env,
    stdin: Readable.from([stdin]),
    stdout: { write: (chunk) => (stdout += chunk) },
    stderr: { write: (chunk) => (stderr += chunk) },
    signal: new AbortController().signal,
    now: () => now,
    async sleep(ms) {
      waits.push(ms);
      now += ms;
    },
  };
  const code = await run(args, context);
  return { code, stdout, stderr, waits };
}
