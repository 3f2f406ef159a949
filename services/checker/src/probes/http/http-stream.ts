import type { Readable } from 'node:stream';
import { peerOf, type Target } from '@tocsin/netguard';
import { CheckFailure } from '../../domain/check-failure.ts';

/** A response whose headers have arrived. */
export interface HttpStream {
  readonly statusCode: number;
  readonly headers: ResponseHeaders;
  /** Body of the response, not decoded. */
  readonly body: Readable;
  /**
   * Returns the reason why the body is incomplete; undefined if it is complete. Call this after the end of the body.
   */
  readonly broken: () => Error | undefined;
}

/** The headers that a check uses. */
export interface ResponseHeaders {
  readonly location?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
}

/** Maximum size of the headers. 16 KiB, the default of many clients, is too small for some sites. */
export const MAX_HEADER_BYTES = 64 * 1024;

/** Maximum number of interim responses (1xx). Real servers send one or two. */
export const MAX_INTERIM = 20;

export function tooManyInterim(target: Target): CheckFailure {
  return new CheckFailure('error', `${peerOf(target)} sent more than ${MAX_INTERIM} interim responses (1xx)`);
}

/** Returns the error for a body that ended early. */
export function connectionLost(): Error {
  return Object.assign(new Error('closed'), { code: 'ECONNRESET' });
}
