import { AsyncResource } from 'node:async_hooks';
import type { Transport } from '@connectrpc/connect';
import {
  createUniversalHandlerClient,
  type UniversalClientFn,
  type UniversalHandler,
  type UniversalHandlerFn,
} from '@connectrpc/connect/protocol';
import { createTransport } from '@connectrpc/connect/protocol-connect';
import { fromAddress } from './peer-address.ts';

/** RPC servers in this process, by `host:port`. */
const servers = new Map<string, UniversalClientFn>();
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
export function addLocalServer(host: string, handlers: readonly UniversalHandler[]): AsyncDisposable {
  if (!isEnabled) return { async [Symbol.asyncDispose]() {} };
  const calls = new Set<Promise<unknown>>();
  // Without this scope, a handler would run in the asynchronous context of its caller, which includes the caller's
  // trace and its validate-only mode.
  const scope = new AsyncResource('LocalServer');
  const counted = handlers.map((handler): UniversalHandler => {
    const handle: UniversalHandlerFn = (request) => {
      const call = scope.runInAsyncScope(handler, undefined, { ...request, contextValues: fromAddress('127.0.0.1') });
      calls.add(call);
      const remove = () => calls.delete(call);
      call.then(remove, remove);
      return call;
    };
    return Object.assign(handle, handler);
  });
  servers.set(host, createUniversalHandlerClient(counted));
  return {
    async [Symbol.asyncDispose]() {
      servers.delete(host);
      await Promise.allSettled(calls);
    },
  };
}

export interface LocalTransportOptions {
  readonly url: string;
  readonly timeoutMs: number;
}

/**
 * Returns a transport that calls the server at `url` directly while it runs in this process, and otherwise uses
 * `remote`.
 */
export function preferLocal({ url, timeoutMs }: LocalTransportOptions, remote: Transport): Transport {
  if (!isEnabled) return remote;
  const { host } = new URL(url);
  const local = createTransport({
    baseUrl: url,
    httpClient(request) {
      const server = servers.get(host);
      if (!server) throw new Error(`no server at ${host} in this process`);
      return server(request);
    },
    useBinaryFormat: true,
    interceptors: [],
    defaultTimeoutMs: timeoutMs,
    acceptCompression: [],
    sendCompression: null,
    compressMinBytes: Number.MAX_SAFE_INTEGER,
    readMaxBytes: 0xffffffff,
    writeMaxBytes: 0xffffffff,
  });
  const choose = () => (servers.has(host) ? local : remote);
  return { unary: (...call) => choose().unary(...call), stream: (...call) => choose().stream(...call) };
}
