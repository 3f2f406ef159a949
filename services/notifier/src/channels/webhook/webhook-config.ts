import { placeholdersIn } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import type { ChannelConfig } from '../../domain/channel-config.ts';
import { isJsonTemplate } from './fill-template.ts';
import { SECRET_PREFIX, secretBytes } from './sign.ts';

/** Validated configuration of a webhook. */
export interface WebhookConfig {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payloadTemplate: string | undefined;
  readonly signingSecret: Buffer | undefined;
}

const MAX_HEADERS = 20;
const MAX_HEADER_LENGTH = 8192;
const MAX_TEMPLATE_BYTES = 65_536;
/** Maximum size of a body that is filled from a template. */
export const MAX_BODY_BYTES = 262_144;
/**
 * Maximum number of placeholders in a template. Together with MAX_TEMPLATE_BYTES, it keeps the body below
 * MAX_BODY_BYTES for values of up to 980 bytes.
 */
const MAX_PLACEHOLDERS = 200;
const MAX_SECRET_LENGTH = 1024;
/**
 * Minimum length that Standard Webhooks recommends. Secrets that were stored before this limit existed may be shorter,
 * and may be text that is not base64.
 */
const MIN_SECRET_BYTES = 24;

/** Format of a header name: a token (RFC 9110 §5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;

/** Headers that tenants can not set, because the notifier sets them. */
const OWN_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
]);

/** Adds an error for each invalid field of a configuration except the URL. */
export function checkWebhookParts(config: ChannelConfig, errors: FieldErrorCollector): void {
  checkHeaders(config.headers, errors);
  checkTemplate(config.payload_template, errors);
  checkSecret(config.signing_secret, errors);
}

/** Reads a validated configuration. */
export function readWebhookConfig(config: ChannelConfig): WebhookConfig {
  const { url, headers, payload_template: template, signing_secret: secret } = config;
  const isPresent = (value: unknown): value is string => typeof value === 'string' && value !== '';
  return {
    url: String(url),
    headers: isRecord(headers)
      ? Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
      : {},
    payloadTemplate: isPresent(template) ? template : undefined,
    signingSecret: isPresent(secret) ? secretBytes(secret) : undefined,
  };
}

function checkHeaders(headers: unknown, errors: FieldErrorCollector): void {
  if (headers === undefined || headers === null) return;
  const isObject = isRecord(headers);
  if (!isObject) errors.add('config.headers', 'must be an object of strings');
  const entries = isObject ? Object.entries(headers) : [];
  if (entries.length > MAX_HEADERS) errors.add('config.headers', `must have at most ${MAX_HEADERS} entries`);
  for (const [name, value] of entries) {
    const problem = problemOfHeader(name, value);
    if (problem) errors.add(`config.headers.${name}`, problem);
  }
}

function problemOfHeader(name: string, value: unknown): string | undefined {
  if (!TOKEN.test(name)) return 'is not a header name';
  if (OWN_HEADERS.has(name.toLowerCase())) return 'is set by the sender';
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > MAX_HEADER_LENGTH) return `must be at most ${MAX_HEADER_LENGTH} characters`;
  // Characters allowed in a header: visible ASCII, spaces and tabs (RFC 9110 §5.5).
  if (!/^[\t\x20-\x7e]*$/.test(value)) return 'may hold visible ASCII characters only';
  return undefined;
}

function checkTemplate(template: unknown, errors: FieldErrorCollector): void {
  const field = 'config.payload_template';
  if (template === undefined || template === null || template === '') return;
  if (typeof template !== 'string') errors.add(field, 'must be a string');
  else if (Buffer.byteLength(template) > MAX_TEMPLATE_BYTES)
    errors.add(field, `must be at most ${MAX_TEMPLATE_BYTES} bytes`);
  else if (placeholdersIn(template).length > MAX_PLACEHOLDERS)
    errors.add(field, `must contain at most ${MAX_PLACEHOLDERS} {{variables}}`);
  else if (!isJsonTemplate(template)) errors.add(field, 'must be valid JSON, with every {{variable}} inside a string');
}

function checkSecret(secret: unknown, errors: FieldErrorCollector): void {
  const field = 'config.signing_secret';
  if (secret === undefined || secret === null || secret === '') return;
  if (typeof secret !== 'string') errors.add(field, 'must be a string');
  else if (secret.length > MAX_SECRET_LENGTH) errors.add(field, `must be at most ${MAX_SECRET_LENGTH} characters`);
  else if (!secret.startsWith(SECRET_PREFIX) || (secretBytes(secret)?.length ?? 0) < MIN_SECRET_BYTES)
    errors.add(field, `must be ${SECRET_PREFIX} and at least ${MIN_SECRET_BYTES} bytes in base64`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
