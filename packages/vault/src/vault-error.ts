/**
 * Reason why a secret could not be opened. `malformed`: the text is not a sealed secret. `unknown-key`: the vault does
 * not have the key. `refused`: the text was altered, sealed for another context, or sealed with a different key that
 * has the same id.
 */
export type VaultErrorReason = 'malformed' | 'unknown-key' | 'refused';

/** Error with a message that contains the key id and the context, but never a secret or a key. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
  readonly reason: VaultErrorReason;

  constructor(reason: VaultErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
