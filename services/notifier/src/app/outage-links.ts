import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { parse, stringify } from 'uuid';
import type { Alert } from '../domain/alert.ts';
import type { OutageSubject } from '../domain/outage.ts';
import { ensureLinkKey } from '../storage/link-key-store.ts';
import type { Deps } from './ports.ts';

/** Links to the public pages of outages. Nothing in the database leads to one without a key of the vault. */
export interface OutageLinks {
  /** Returns the page of an alert; alerts of one outage share theirs. @throws VaultError */
  linkTo(alert: Pick<Alert, 'id' | 'disruptionId'>): Promise<string>;
  /** Returns the subject of a token; undefined for one that was not made here. @throws VaultError */
  subjectOf(token: string): Promise<OutageSubject | undefined>;
}

/** Where the sealed key of the links belongs. */
export const LINK_KEY_CONTEXT = 'outage-links';

const KEY_BYTES = 32;
const UUID_BYTES = 16;
/** 128 bits, which nobody guesses. */
const MAC_BYTES = 16;
const TOKEN_LENGTH = Math.ceil(((1 + UUID_BYTES + MAC_BYTES) * 4) / 3);
const TOKEN = new RegExp(`^[A-Za-z0-9_-]{${TOKEN_LENGTH}}$`);

/** The first byte of a token. */
const KINDS: Readonly<Record<OutageSubject['kind'], number>> = { disruption: 1, alert: 2 };

/**
 * A token is the subject with an HMAC over it, in base64url. The key is made at the first use, sealed by the vault, and
 * shared by all replicas.
 */
export function createOutageLinks({
  database,
  vault,
  baseUrl,
}: Pick<Deps, 'database' | 'vault' | 'baseUrl'>): OutageLinks {
  let known: Promise<Buffer> | undefined;

  function key(): Promise<Buffer> {
    known ??= readKey();
    // What failed is tried again by the next caller.
    known.catch(() => {
      known = undefined;
    });
    return known;
  }

  async function readKey(): Promise<Buffer> {
    const fresh = vault.seal(randomBytes(KEY_BYTES).toString('base64'), LINK_KEY_CONTEXT);
    const sealed = await database.transaction('every organization', (tx) => ensureLinkKey(tx, fresh));
    return Buffer.from(vault.open(sealed, LINK_KEY_CONTEXT), 'base64');
  }

  return {
    async linkTo({ id, disruptionId }) {
      const subject = disruptionId
        ? ({ kind: 'disruption', id: disruptionId } as const)
        : ({ kind: 'alert', id } as const);
      const body = Buffer.from([KINDS[subject.kind], ...parse(subject.id)]);
      return `${baseUrl}/o/${Buffer.concat([body, macOf(await key(), body)]).toString('base64url')}`;
    },

    async subjectOf(token) {
      if (!TOKEN.test(token)) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      const body = bytes.subarray(0, 1 + UUID_BYTES);
      if (!timingSafeEqual(bytes.subarray(1 + UUID_BYTES), macOf(await key(), body))) return undefined;
      return { kind: body[0] === KINDS.disruption ? 'disruption' : 'alert', id: stringify(body, 1) };
    },
  };
}

function macOf(key: Buffer, body: Buffer): Buffer {
  return createHmac('sha256', key).update(body).digest().subarray(0, MAC_BYTES);
}
