import type { Netguard } from '@tocsin/netguard';
import type { PostMessage } from '../app/ports.ts';
import { post } from './post.ts';
import { secretBytes, webhookHeaders } from './webhook/sign.ts';

/** Posts to the URLs of webhook subscriptions. */
export function messagePoster({ guard, now }: { guard: Netguard; now: () => Date }): PostMessage {
  return async ({ id, url, secret, body }) => {
    const headers = {
      'content-type': 'application/json',
      ...webhookHeaders({ id, at: now(), body }, secretBytes(secret)),
    };
    return post(guard, { url, headers, body });
  };
}
