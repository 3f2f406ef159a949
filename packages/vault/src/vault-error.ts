/**
 * Why a secret could not be opened:
 * `malformed` is not a sealed secret at all, `unknown-key` was sealed under a key that this vault doesn't hold,
 * `refused` was altered, or sealed for another context or with another key of the same id.
 */
export type VaultErrorReason = 'malformed' | 'unknown-key' | 'refused';

/** Names the key id and the context; never holds a secret or a key. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
  readonly reason: VaultErrorReason;

  constructor(reason: VaultErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
