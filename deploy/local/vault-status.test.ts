import { expect, test } from 'vitest';
import { vaultStatusOf } from './vault-status.ts';

const line = (table: string, key: string, primary: boolean, texts: number) =>
  `tocsin_vault_sealed{table="${table}",key="${key}",primary="${primary}",service="x"} ${texts}`;

test('encrypted secrets are counted by table and encryption key, and an asterisk marks the primary encryption key', () => {
  const metrics = {
    notifier: `# HELP x\n${line('channel', 'k2', true, 3)}\n${line('channel', 'k1', false, 2)}\nother 1`,
    identity: line('signing_key', 'k2', true, 1),
  };
  expect(vaultStatusOf(metrics)).toEqual({
    done: false,
    sealed: { 'notifier.channel': { 'k2*': 3, k1: 2 }, 'identity.signing_key': { 'k2*': 1 } },
  });
});

test('a key rotation is complete if all secrets use the primary encryption key, but not while there are no counts', () => {
  expect(vaultStatusOf({ notifier: line('channel', 'k2', true, 3) }).done).toBe(true);
  expect(vaultStatusOf({ notifier: '' }).done).toBe(false);
});
