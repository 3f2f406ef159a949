import { parse, stringify } from 'uuid';
import type { LinkSigner } from './signed-links.ts';

/** Recipient that a link in an email belongs to. */
export interface MailSubject {
  readonly organizationId: string;
  readonly mark: string;
}

/** Confirm and unsubscribe links in emails to channel recipients. */
export interface MailLinks {
  confirm(subject: MailSubject, expiresAt: Date): Promise<string>;
  /** Returns a link that never expires, because recipients must always be able to unsubscribe. */
  unsubscribe(subject: MailSubject): Promise<string>;
  /** Returns the content of a token; undefined if this installation did not create the token. */
  read(
    token: string,
  ): Promise<
    (MailSubject & { readonly kind: 'confirm' | 'unsubscribe'; readonly expiresAt: Date | undefined }) | undefined
  >;
}

const UUID_BYTES = 16;
const TIME_BYTES = 4;

export function createMailLinks(signer: LinkSigner, baseUrl: string): MailLinks {
  async function link(kind: 'confirm' | 'unsubscribe', { organizationId, mark }: MailSubject, seconds: number) {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeUInt32BE(seconds);
    const body = Buffer.concat([parse(organizationId), time, Buffer.from(mark, 'base64url')]);
    return `${baseUrl}/m/${await signer.sign(kind, body)}`;
  }

  return {
    confirm: (subject, expiresAt) => link('confirm', subject, Math.floor(expiresAt.getTime() / 1000)),
    unsubscribe: (subject) => link('unsubscribe', subject, 0),

    async read(token) {
      const opened = await signer.open(token, ['confirm', 'unsubscribe']);
      if (!opened) return undefined;
      const { body } = opened;
      const seconds = body.readUInt32BE(UUID_BYTES);
      return {
        kind: opened.kind === 'confirm' ? 'confirm' : 'unsubscribe',
        organizationId: stringify(body.subarray(0, UUID_BYTES)),
        mark: body.subarray(UUID_BYTES + TIME_BYTES).toString('base64url'),
        expiresAt: seconds === 0 ? undefined : new Date(seconds * 1000),
      };
    },
  };
}
