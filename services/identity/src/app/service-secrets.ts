import { createHash, timingSafeEqual } from 'node:crypto';

/** SHA-256 hashes of the services' secrets, by name of the service. */
export type ServiceSecrets = ReadonlyMap<string, Buffer>;

const NAME = /^[a-z][a-z0-9-]{0,62}$/;

export function isServiceName(text: string): boolean {
  return NAME.test(text);
}

/**
 * Parses `name:secret` entries separated by commas. Removes whitespace around names and secrets. A secret can't
 * contain a comma.
 * @throws Error that names the invalid entry and the reason, without any part of a secret.
 */
export function parseServiceSecrets(text: string): ServiceSecrets {
  const secrets = new Map<string, Buffer>();
  for (const [index, entry] of text.split(',').entries()) {
    const where = `entry ${index + 1}`;
    const colon = entry.indexOf(':');
    if (colon < 0) throw new Error(`${where} has no ":"; write name:secret, entries separated by commas`);
    const name = entry.slice(0, colon).trim();
    const secret = entry.slice(colon + 1).trim();
    if (!isServiceName(name)) throw new Error(`the name in ${where} must be lowercase letters, digits or "-"`);
    if (secret === '') throw new Error(`${where} names "${name}" and gives it no secret`);
    if (secrets.has(name)) throw new Error(`${where} names "${name}" again; give each service one secret`);
    secrets.set(name, sha256(secret));
  }
  return secrets;
}

const UNKNOWN_SERVICE = sha256('');

/** Verifies a service's secret. A wrong secret and an unknown service take the same time. */
export function verifyServiceSecret(secrets: ServiceSecrets, service: string, secret: string): boolean {
  const known = secrets.get(service);
  const equal = timingSafeEqual(sha256(secret), known ?? UNKNOWN_SERVICE);
  return known !== undefined && equal;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
