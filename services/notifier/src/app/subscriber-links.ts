import { parse, stringify } from 'uuid';
import type { LinkSigner } from './signed-links.ts';

/** Subscriber that a link in an email belongs to. */
export interface SubscriberSubject {
  readonly organizationId: string;
  readonly pageId: string;
  readonly subscriberId: string;
}

export interface SubscriberLink extends SubscriberSubject {
  readonly kind: 'confirm' | 'unsubscribe';
  readonly expiresAt: Date | undefined;
}

/** Links in emails to subscribers of status pages. */
export interface SubscriberLinks {
  confirm(subject: SubscriberSubject, expiresAt: Date): Promise<string>;
  /** Returns a link that never expires, because subscribers must always be able to unsubscribe. */
  unsubscribe(subject: SubscriberSubject): Promise<string>;
  /** Returns the content of a token; undefined if this installation did not create the token, or for other links. */
  read(token: string): Promise<SubscriberLink | undefined>;
}

const UUID_BYTES = 16;
const KINDS = { confirm: 'confirmSubscriber', unsubscribe: 'unsubscribeSubscriber' } as const;

export function createSubscriberLinks(signer: LinkSigner, baseUrl: string): SubscriberLinks {
  async function link(
    kind: SubscriberLink['kind'],
    { organizationId, pageId, subscriberId }: SubscriberSubject,
    seconds: number,
  ) {
    const time = Buffer.alloc(4);
    time.writeUInt32BE(seconds);
    const body = Buffer.concat([parse(organizationId), parse(pageId), parse(subscriberId), time]);
    return `${baseUrl}/m/${await signer.sign(KINDS[kind], body)}`;
  }

  return {
    confirm: (subject, expiresAt) => link('confirm', subject, Math.floor(expiresAt.getTime() / 1000)),
    unsubscribe: (subject) => link('unsubscribe', subject, 0),

    async read(token) {
      const opened = await signer.open(token, Object.values(KINDS));
      if (!opened) return undefined;
      const { body } = opened;
      const id = (index: number) => stringify(body.subarray(index * UUID_BYTES, (index + 1) * UUID_BYTES));
      const seconds = body.readUInt32BE(3 * UUID_BYTES);
      return {
        kind: opened.kind === KINDS.confirm ? 'confirm' : 'unsubscribe',
        organizationId: id(0),
        pageId: id(1),
        subscriberId: id(2),
        expiresAt: seconds === 0 ? undefined : new Date(seconds * 1000),
      };
    },
  };
}
