import { Code, ConnectError } from '@connectrpc/connect';
import { fromAddress } from './peer-address.ts';
import type { UnaryMethods } from './unary-methods.ts';
import type { SendUnary } from './unary-transport.ts';

/** RPC servers in this process, by `host:port`. */
const servers = new Map<string, SendUnary>();
let isEnabled = false;

/**
 * Enables direct RPC calls between services in this process. By default, these calls use the network. Call it before
 * the services start.
 */
export function callLocalServersDirectly(): void {
  isEnabled = true;
}

/**
 * Registers a server for the clients in this process. Disposing removes the server, and waits for its running calls.
 */
export function addLocalServer(host: string, methods: UnaryMethods): AsyncDisposable {
  if (!isEnabled) return { async [Symbol.asyncDispose]() {} };
  const calls = new Set<Promise<void>>();
  servers.set(host, ({ path, headers, body }, { answered, failed }) => {
    const method = methods.find(path);
    if (!method) {
      failed(new ConnectError(`no method ${path} at ${host}`, Code.Unimplemented));
      return () => {};
    }
    const cancels: (() => void)[] = [];
    const timeoutMs = headers['connect-timeout-ms'];
    const head = {
      headers,
      values: fromAddress('127.0.0.1'),
      timeoutMs: timeoutMs === undefined ? undefined : Number(timeoutMs),
      onCancel: (cancel: () => void) => void cancels.push(cancel),
    };
    const call = method
      .answer(head, async () => body)
      .then(answered, failed)
      .finally(() => calls.delete(call));
    calls.add(call);
    return () => {
      for (const cancel of cancels) cancel();
    };
  });
  return {
    async [Symbol.asyncDispose]() {
      servers.delete(host);
      await Promise.all(calls);
    },
  };
}

/**
 * Calls the server at `url` directly while it runs in this process, and otherwise uses `remote`.
 */
export function preferLocal(url: string, remote: SendUnary): SendUnary {
  if (!isEnabled) return remote;
  const { host } = new URL(url);
  return (request, outcome) => (servers.get(host) ?? remote)(request, outcome);
}
