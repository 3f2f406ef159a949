import { LENGTH_HEADERS } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import { parseHttpUrl, problemOfHttpUrl } from '@tocsin/text';
import { checkFields, flag, isIntegerBetween, isListOf, oneOf, text } from './config-fields.ts';
import { namesIn } from './secrets.ts';

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/; // RFC 9110 §5.6.2, token
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/; // RFC 9110 §5.5

const MAX_URL = 8_192;
const headerValue = text(8_192);

const RULES = {
  method: oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']),
  expected_status_codes: {
    holds: isListOf(isIntegerBetween(100, 599)),
    words: 'must be an array of integers between 100 and 599',
  },
  follow_redirects: flag,
  verify_tls: flag,
  body: text(65_536),
  expected_keyword: text(1_000),
  unexpected_keyword: text(1_000),
  max_response_time_ms: {
    holds: isIntegerBetween(1, Number.MAX_SAFE_INTEGER),
    words: 'must be a positive integer (milliseconds)',
  },
} as const;

/**
 * Validates the config of an `http` monitor. Every secret that the config refers to must be a secret of the monitor.
 */
export function validateHttpConfig(
  config: Record<string, unknown>,
  secretNames: readonly string[],
  errors: FieldErrorCollector,
): void {
  const { url, headers, body } = config;
  errors.add('config.url', problemOfUrl(url));
  checkFields(config, RULES, errors);
  if (typeof body === 'string') checkReferences('config.body', body, secretNames, errors);
  if (headers !== undefined) validateHeaders(headers, secretNames, errors);
}

function validateHeaders(headers: unknown, secretNames: readonly string[], errors: FieldErrorCollector): void {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) {
    errors.add('config.headers', 'must be an object of header names and values');
    return;
  }
  const entries = Object.entries(headers);
  if (entries.length > 20) errors.add('config.headers', 'must have at most 20 entries');
  for (const [name, value] of entries) {
    const field = `config.headers.${name}`;
    if (!HEADER_NAME.test(name)) errors.add('config.headers', `"${name}" is not a header name`);
    else if (!headerValue.holds(value)) errors.add(field, headerValue.words);
    else if (!HEADER_VALUE.test(String(value)))
      errors.add(field, 'must not contain line breaks or characters outside Latin-1');
    else checkReferences(field, String(value), secretNames, errors);
  }
}

/**
 * Adds an error for each header that a check would not send: those that the checker sets itself, and those whose name
 * differs from that of an earlier header only by case. Ignores headers for which validateHttpConfig() adds an error.
 */
export function refuseUnsentHeaders(headers: unknown, errors: FieldErrorCollector): void {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return;
  const seen = new Map<string, string>();
  for (const name of Object.keys(headers)) {
    const lowered = name.toLowerCase();
    const field = `config.headers.${name}`;
    const other = seen.get(lowered);
    if (other !== undefined) errors.add(field, `is the same header as ${other}: the case of a name does not matter`);
    else if (LENGTH_HEADERS.includes(lowered)) errors.add(field, "can't be set: each check sets it for its body");
    seen.set(lowered, name);
  }
}

function checkReferences(field: string, value: string, known: readonly string[], errors: FieldErrorCollector): void {
  for (const name of namesIn(value)) {
    if (!known.includes(name)) errors.add(field, `refers to the secret ${name}, which this monitor does not have`);
  }
}

/**
 * Returns why a value is not a valid URL to check; undefined if it is valid. URLs with a password are invalid, because
 * the URL is shown with the monitor. Credentials belong in a header that refers to a secret.
 */
function problemOfUrl(value: unknown): string | undefined {
  if (value === undefined) return 'is required';
  if (typeof value !== 'string') return 'must be a string such as https://example.com/health';
  if (value.length > MAX_URL) return `must be at most ${MAX_URL} characters`;
  const problem = problemOfHttpUrl(value);
  if (problem !== undefined) return problem;
  const url = parseHttpUrl(value);
  if (!url?.username && !url?.password) return undefined;
  return 'must not contain a user name or password, because the URL is shown: use the header Authorization with a secret';
}
