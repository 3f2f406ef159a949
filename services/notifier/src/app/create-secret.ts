import { randomBytes } from 'node:crypto';

/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** Returns a new secret for a subscription. */
export function createSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
