import type { FailureKind } from './protocol.ts';
import { Refusal } from './readers.ts';

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** Returns a description of a failed call for the script's author. */
export function explain(
  error: unknown,
  method: string,
  whyUnreachable: (url: string) => string | undefined,
): { message: string; kind: FailureKind } {
  if (error instanceof Refusal) return { message: `${method} ${error.message}`, kind: 'script' };
  const text = (error instanceof Error ? error.message : String(error)).replaceAll(COLOURS, '');
  const [, code, url] = /(net::ERR_[A-Z0-9_]+)(?: at (\S+))?/.exec(text) ?? [];
  if (code === 'net::ERR_ABORTED')
    return { message: `${method}: the page went elsewhere, or began a download`, kind: 'script' };
  if (code) {
    const why = (url && whyUnreachable(url)) ?? code;
    return { message: `${method} could not load ${url ?? 'the page'}: ${why}`, kind: 'network' };
  }
  if (/Target crashed|Page crashed/.test(text)) return { message: `${method}: the page crashed`, kind: 'script' };
  const [what = '', callLog = ''] = text.split('Call log:');
  const [, waitedFor] = /- (waiting for [^\n]+)/.exec(callLog) ?? [];
  const message = what.trim().replace(/\.$/, '') + (waitedFor ? `, ${waitedFor}` : '');
  const named = /^\w+\.\w+: /.test(message) ? message : `${method}: ${message}`;
  return { message: named, kind: 'script' };
}
