import type { FieldErrorCollector } from '@tocsin/errors';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/; // RFC 9110 §5.6.2, token
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/; // RFC 9110 §5.5

/** Checks the fields of an `http` monitor's config (spec: Config by type). What is not listed there is let be. */
export function validateHttpConfig(config: Record<string, unknown>, errors: FieldErrorCollector): void {
  const check = (field: string, valid: (value: unknown) => boolean, words: string) => {
    const value = config[field];
    if (value !== undefined && !valid(value)) errors.add(`config.${field}`, words);
  };
  if (config.url === undefined) errors.add('config.url', 'is required');
  check('url', isHttpUrl, 'must be an http or https URL such as https://example.com/health');
  check('method', (value) => METHODS.includes(String(value)), `must be one of ${METHODS.join(', ')}`);
  check('expected_status_codes', isStatusCodes, 'must be an array of integers between 100 and 599');
  check('follow_redirects', isBoolean, 'must be true or false');
  check('verify_tls', isBoolean, 'must be true or false');
  check('body', isText(65_536), 'must be a string of at most 65536 bytes');
  check('expected_keyword', isText(1_000), 'must be a string of at most 1000 bytes');
  check('unexpected_keyword', isText(1_000), 'must be a string of at most 1000 bytes');
  check('max_response_time_ms', isPositiveInteger, 'must be a positive integer (milliseconds)');
  if (config.headers !== undefined) validateHeaders(config.headers, errors);
}

function validateHeaders(headers: unknown, errors: FieldErrorCollector): void {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) {
    errors.add('config.headers', 'must be an object of header names and values');
    return;
  }
  const entries = Object.entries(headers);
  if (entries.length > 20) errors.add('config.headers', 'must have at most 20 entries');
  for (const [name, value] of entries) {
    if (!HEADER_NAME.test(name)) errors.add('config.headers', `"${name}" is not a header name`);
    else if (!isText(8_192)(value)) errors.add(`config.headers.${name}`, 'must be a string of at most 8192 bytes');
    else if (!HEADER_VALUE.test(String(value)))
      errors.add(`config.headers.${name}`, 'must not contain line breaks or characters outside Latin-1');
  }
}

function isHttpUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const url = new URL(value);
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
}

function isStatusCodes(value: unknown): boolean {
  return Array.isArray(value) && value.every((code) => Number.isInteger(code) && code >= 100 && code <= 599);
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isPositiveInteger(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0;
}

function isText(maxBytes: number): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && Buffer.byteLength(value) <= maxBytes;
}
