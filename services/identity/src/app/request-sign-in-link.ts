import { ServiceError } from '@tocsin/errors';
import { networkOf } from '@tocsin/text';
import { isWithinLimit } from './limit-attempts.ts';
import type { Deps } from './ports.ts';
import { createSignInLink } from './sign-in-links.ts';

/**
 * Sends a sign-in link to an email address if it belongs to a user. The user is looked up after the response, so that
 * the response and the response time do not show whether a user exists.
 * @returns 'requested', or 'too_many' if the network has requested too many links.
 */
export async function requestSignInLink(
  deps: Pick<Deps, 'database' | 'baseUrl' | 'now' | 'mails' | 'background'>,
  { email, address }: { email: string; address: string },
): Promise<'requested' | 'too_many'> {
  if (!(await isWithinLimit(deps, 'link_from_network', address))) return 'too_many';
  // If this limit is exceeded, a valid link was already sent to the user (see ATTEMPT_LIMITS).
  if (!(await isWithinLimit(deps, 'link_for_email', email))) return 'requested';
  deps.background.run(networkOf(address), 'sending a sign-in link', async () => {
    try {
      const link = await createSignInLink(deps, { email });
      await deps.mails.signIn(link.email, link.url);
    } catch (error) {
      if (!(error instanceof ServiceError && error.kind === 'not_found')) throw error;
    }
  });
  return 'requested';
}
