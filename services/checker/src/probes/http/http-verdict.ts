import type { HttpConfig } from './http-config.ts';

/** The response of an http target. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly totalMs: number;
  readonly hasExpectedKeyword: boolean;
  readonly hasUnexpectedKeyword: boolean;
  /** Whether only a part of the body was searched. */
  readonly truncated: boolean;
  /** Reason why a redirect is not followed; undefined if no redirect was refused. */
  readonly refusedRedirect: string | undefined;
}

/** Returns a description of the first assertion that fails; undefined if all pass. */
export function brokenAssertion(config: HttpConfig, response: HttpResponse): string | undefined {
  const { statusCode, totalMs } = response;
  if (!isExpected(statusCode, config.expectedStatusCodes))
    return `status ${statusCode}, expected ${spellExpected(config.expectedStatusCodes)}`;
  if (response.refusedRedirect && config.expectedStatusCodes.length === 0)
    return `status ${statusCode} redirects to ${response.refusedRedirect}`;
  if (config.expectedKeyword && !response.hasExpectedKeyword) {
    const where = response.truncated ? 'the first part of the body that was searched' : 'the body';
    return `keyword "${shorten(config.expectedKeyword)}" is not in ${where}`;
  }
  if (config.unexpectedKeyword && response.hasUnexpectedKeyword)
    return `keyword "${shorten(config.unexpectedKeyword)}" is in the body`;
  if (config.maxResponseTimeMs !== undefined && totalMs > config.maxResponseTimeMs) {
    return `responded after ${Math.round(totalMs)} ms, expected at most ${config.maxResponseTimeMs} ms`;
  }
  return undefined;
}

function isExpected(statusCode: number, expected: readonly number[]): boolean {
  return expected.length > 0 ? expected.includes(statusCode) : statusCode >= 200 && statusCode <= 399;
}

function spellExpected(expected: readonly number[]): string {
  if (expected.length === 0) return '200 to 399';
  return expected.length > 5 ? `one of ${expected.slice(0, 5).join(', ')}, …` : expected.join(' or ');
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length > 60 ? `${characters.slice(0, 60).join('')}…` : text;
}
