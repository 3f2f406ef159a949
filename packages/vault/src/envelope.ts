import { KEY_BYTES, OVERHEAD_BYTES } from './aes-gcm.ts';
import { VaultError } from './vault-error.ts';

/** The parts of a sealed secret. */
export interface Envelope {
  /** Id of the key-encryption key that wraps the data key. */
  readonly keyId: string;
  readonly wrappedKey: Buffer;
  readonly ciphertext: Buffer;
}

const VERSION = 'v1';

/** Returns `v1.<key id>.<wrapped data key>.<ciphertext>`. The last two parts are in base64url. */
export function formatEnvelope({ keyId, wrappedKey, ciphertext }: Envelope): string {
  return [VERSION, keyId, wrappedKey.toString('base64url'), ciphertext.toString('base64url')].join('.');
}

/**
 * Parses a sealed text.
 * @throws VaultError `malformed`. Its message does not contain the text, because the text may be an unsealed secret.
 */
export function parseEnvelope(sealed: string): Envelope {
  const [version, keyId, wrapped, secret, ...rest] = sealed.split('.');
  if (version !== VERSION || keyId === undefined || wrapped === undefined || secret === undefined || rest.length > 0) {
    throw new VaultError('malformed', `not a sealed secret: expected the form ${VERSION}.keyId.wrappedKey.ciphertext`);
  }
  const wrappedKey = decodeExactly(wrapped);
  const ciphertext = decodeExactly(secret);
  if (wrappedKey?.length !== KEY_BYTES + OVERHEAD_BYTES || !ciphertext || ciphertext.length < OVERHEAD_BYTES) {
    throw new VaultError('malformed', 'a sealed secret is cut off, or not written in base64url');
  }
  return { keyId, wrappedKey, ciphertext };
}

/**
 * Decodes base64url. Returns undefined if encoding the result does not yield the same text, because Node skips invalid
 * characters instead of refusing them.
 */
function decodeExactly(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
