import type { FieldErrors } from '@tocsin/errors';
import { MAX_FINDINGS } from '../endpoint/field-errors.ts';

/** Maximum total size, in bytes, of the field errors in a response. */
const MAX_BYTES = 32_000;
const MAX_PATH = 200;
const MAX_MESSAGE = 500;

/** Returns the field errors that fit into a response, and the number of fields that were left out. */
export function boundFieldErrors(fields: FieldErrors): { readonly listed: FieldErrors; readonly unlisted: number } {
  const listed: [string, string[]][] = [];
  let findings = 0;
  let bytes = 0;
  const entries = Object.entries(fields);
  for (const [field, all] of entries) {
    const path = cut(field, MAX_PATH);
    const messages = all.slice(0, MAX_FINDINGS - findings).map((message) => cut(message, MAX_MESSAGE));
    bytes += Buffer.byteLength(JSON.stringify([path, messages]));
    if (messages.length === 0 || bytes > MAX_BYTES) break;
    findings += messages.length;
    listed.push([path, messages]);
  }
  return { listed: Object.fromEntries(listed), unlisted: entries.length - listed.length };
}

/** Shortens a string to `max` characters. */
export function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text;
}
