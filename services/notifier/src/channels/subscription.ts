import type { Netguard } from '@tocsin/netguard';
import type { PostMessage } from '../app/ports.ts';
import { excerptOf } from '../domain/excerpt.ts';
import { post } from './post.ts';
import { secretBytes, webhookHeaders } from './webhook/sign.ts';

/** Returns the function that posts to the URLs of webhook subscriptions. */
export function messagePoster({ guard, now }: { guard: Netguard; now: () => Date }): PostMessage {
  return async ({ id, url, secrets, body }) => {
    const headers = {
      'content-type': 'application/json',
      ...webhookHeaders({ id, at: now(), body }, secrets.map(secretBytes)),
    };
    let excerpt: string | undefined;
    const outcome = await post(
      guard,
      { url, headers, body },
      {
        name: 'the receiver',
        interpret(response) {
          excerpt = excerptOf(response.body, [...secrets, ...secretPartsOf(url)]);
          return undefined;
        },
      },
    );
    return excerpt === undefined || outcome.kind === 'blocked' || outcome.kind === 'unable'
      ? outcome
      : { ...outcome, excerpt };
  };
}

/** Returns the parts of a URL that may contain a secret: path and query. */
function secretPartsOf(url: string): string[] {
  const { pathname = '', search = '' } = URL.parse(url) ?? {};
  return [search, pathname].filter((part) => part.length > 1);
}
