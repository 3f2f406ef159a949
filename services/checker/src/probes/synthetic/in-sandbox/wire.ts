import type { FromSandbox, Link, ToSandbox } from '../protocol.ts';
import { CheckError } from './check-error.ts';
import { whereInScript } from './where-in-script.ts';

export interface Wire {
  call(method: string, args: readonly unknown[], target?: number, chain?: readonly Link[]): Promise<unknown>;
  send(message: FromSandbox): void;
  /** Processes a message from the host. */
  receive(message: Exclude<ToSandbox, { start: unknown } | { page: unknown }>): void;
}

/**
 * Creates the connection to the host process. The host performs the operations for which the sandbox has no permission.
 */
export function createWire(write: (line: string) => void): Wire {
  const waiting = new Map<number, { asked: Error; response: PromiseWithResolvers<unknown> }>();
  let calls = 0;
  const send = (message: FromSandbox) => write(`${JSON.stringify(message)}\n`);
  return {
    send,
    call(method, args, target, chain) {
      const call = ++calls;
      // The error is created here, so that its stack contains the frame of the script.
      const asked = new Error('asked');
      const response = Promise.withResolvers<unknown>();
      waiting.set(call, { asked, response });
      send({ call, method, target, chain, args: args.map(encode), at: whereInScript(asked) });
      return response.promise;
    },
    receive(message) {
      const question = waiting.get(message.reply);
      if (!question) return;
      waiting.delete(message.reply);
      if ('failure' in message) {
        const { failure } = message;
        question.response.reject(new CheckError(failure.message, failure.kind, question.asked));
      } else question.response.resolve(message.value);
    },
  };
}

/**
 * Encodes values that JSON can't represent: patterns as `{ $pattern }`, locators as `{ $chain }`, functions as their
 * source.
 */
export function encode(value: unknown): unknown {
  if (value instanceof RegExp) return { $pattern: [value.source, value.flags] };
  if (typeof value === 'function') return { $code: String(value) };
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value !== 'object' || value === null) return value;
  if ('chain' in value) return { $chain: value.chain };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, encode(inner)]));
}
