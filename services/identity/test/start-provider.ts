import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** A user of a provider, with claims besides `sub`. */
export interface ProviderUser {
  readonly sub: string;
  readonly [claim: string]: unknown;
}

export const CLIENT = { client_id: 'tocsin', client_secret: 'a secret of the client' };

/**
 * Starts an OpenID Connect provider on this machine. It signs in `signIn.user` without showing a page, as if the user
 * had entered a password `signIn.secondsAgo` seconds ago. Redirect URIs must be added before the first request.
 */
export async function startProvider() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const signIn: { user: ProviderUser; secondsAgo: number } = { user: { sub: 'nobody' }, secondsAgo: 0 };
  const redirectUris: string[] = [];

  /** Creates the provider. Its redirect URIs can't be changed later, so it is created at the first request. */
  const create = () =>
    new Provider(issuer, {
      clients: [
        {
          ...CLIENT,
          redirect_uris: redirectUris,
          grant_types: ['authorization_code'],
          response_types: ['code'],
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...signIn.user, sub }) }),
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      pkce: { required: () => true },
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
      cookies: { keys: ['a key of the test'] },
    });
  let provider: Provider | undefined;

  server.on('request', async (request, response) => {
    provider ??= create();
    if (!request.url?.startsWith('/interaction/')) return provider.callback()(request, response);
    const ts = Math.floor(Date.now() / 1_000) - signIn.secondsAgo;
    const login = { accountId: signIn.user.sub, remember: false, ts };
    await provider.interactionFinished(request, response, { login });
  });

  return {
    issuer,
    signIn,
    addRedirectUri: (uri: string) => void redirectUris.push(uri),
    /** Follows the redirects of a sign-in like a browser, and returns the URL of the callback. */
    async visit(url: string): Promise<string> {
      const cookies = new Map<string, string>();
      for (let at = url; ; ) {
        if (!at.startsWith(issuer)) return at;
        const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
        const response = await fetch(at, { redirect: 'manual', headers });
        for (const cookie of response.headers.getSetCookie()) {
          const [name = '', value = ''] = cookie.split(';')[0]?.split('=') ?? [];
          cookies.set(name, value);
        }
        const location = response.headers.get('location');
        if (location === null) throw new Error(`${at} returned ${response.status}: ${await response.text()}`);
        at = new URL(location, at).href;
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
