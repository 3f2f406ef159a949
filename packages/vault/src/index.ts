export { createVault, type Vault } from './vault.ts';
export { VaultError, type VaultErrorReason } from './vault-error.ts';
export { generateVaultKey, parseVaultKeys, type VaultKey, type VaultKeys } from './vault-keys.ts';
