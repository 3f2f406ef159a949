import { isIP } from 'node:net';
import type { FieldErrorCollector } from '@tocsin/errors';
import type { Netguard } from '@tocsin/netguard';
import { parseHttpUrl } from '@tocsin/text';

const MAX_LENGTH = 2048;

/**
 * Checks a URL to which alerts are posted. Returns the parsed URL; undefined if it is invalid, in which case an error
 * is added to `errors`. The URL must be https. Plain http is valid only for a host within an address range that the
 * operator allowed.
 */
export async function checkTargetUrl(
  value: unknown,
  { field, guard, errors }: { field: string; guard: Netguard; errors: FieldErrorCollector },
): Promise<URL | undefined> {
  const problem = await problemOfTargetUrl(value, guard);
  if (problem !== undefined) errors.add(field, problem);
  return problem === undefined ? new URL(String(value)) : undefined;
}

/** Returns why alerts must not be posted to a URL; undefined for a valid URL. */
export async function problemOfTargetUrl(value: unknown, guard: Netguard): Promise<string | undefined> {
  if (value === undefined || value === null || value === '') return 'is required';
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > MAX_LENGTH) return `must be at most ${MAX_LENGTH} characters`;
  const url = parseHttpUrl(value);
  if (!url) return 'must be an https URL';
  const isHttps = url.protocol === 'https:';
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password';
  if (!isHttps && !(await guard.opensHost(url.hostname))) return 'must be an https URL';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !guard.isAllowed(host)) return 'must not be a private address';
  return undefined;
}

/**
 * Checks a URL from a provider, like `checkTargetUrl`. In addition, the host must belong to the provider or be within
 * an address range that the operator allowed.
 */
export async function checkProviderUrl(
  value: unknown,
  {
    hosts,
    field,
    guard,
    errors,
  }: { hosts: readonly string[]; field: string; guard: Netguard; errors: FieldErrorCollector },
): Promise<URL | undefined> {
  const url = await checkTargetUrl(value, { field, guard, errors });
  if (!url || hosts.includes(url.hostname) || (await guard.opensHost(url.hostname))) return url;
  errors.add(field, `must be on ${hosts.join(' or ')}`);
  return undefined;
}
