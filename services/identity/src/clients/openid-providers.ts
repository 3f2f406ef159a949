import { ServiceError } from '@tocsin/errors';
import type { Netguard } from '@tocsin/netguard';
import { parseHttpUrl } from '@tocsin/text';
import * as oauth from 'oauth4webapi';
import type { ProviderClient, Providers } from '../app/ports.ts';
import { FRESH_MS } from '../domain/session.ts';

/** Time limit for each request to a provider, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** Maximum size of a response in bytes. Lists of keys are the largest. */
const MAX_RESPONSE_BYTES = 256 * 1024;
const MAX_URL_LENGTH = 2_000;

/**
 * Returns a client for OpenID Connect providers (OpenID Connect Core 1.0 §3.1). Organizations choose the providers, so
 * all requests go through the guard and do not follow redirects.
 */
export function openIdProviders(guard: Netguard): Providers {
  async function send(url: string, { method, headers, body }: { method: string; headers: object; body?: unknown }) {
    const response = await guard.fetch(url, {
      method,
      headers: headers as Record<string, string>,
      ...(body !== undefined && body !== null && { body: String(body) }),
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    });
    const isEmpty = [204, 205, 304].includes(response.status);
    return new Response(isEmpty ? null : response.body, { status: response.status, headers: response.headers });
  }
  // Plain http is possible only because problemOfIssuer() accepts http issuers in address ranges that the operator
  // allowed.
  const options = (issuer: string) => ({
    [oauth.customFetch]: send,
    [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
  });

  async function discover({ issuer }: ProviderClient): Promise<oauth.AuthorizationServer> {
    const url = new URL(issuer);
    return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options(issuer)));
  }

  return {
    async problemOfIssuer(issuer) {
      const url = issuer.length <= MAX_URL_LENGTH ? parseHttpUrl(issuer) : undefined;
      const isPlain = url && !url.username && !url.password && url.search === '' && url.hash === '';
      if (!url || !isPlain) return 'The issuer must be an https URL, such as https://login.example.com.';
      if (url.protocol === 'http:' && !(await guard.opensHost(url.hostname))) return 'The issuer must be an https URL.';
      return undefined;
    },

    async signInUrl(client, { state, nonce, verifier, email }) {
      const server = await orInvalid(discover(client));
      const url = URL.parse(server.authorization_endpoint ?? '');
      const isWeb =
        url && (url.protocol === 'https:' || (url.protocol === 'http:' && client.issuer.startsWith('http:')));
      if (!isWeb) throw new ServiceError('invalid', 'The sign-in of the organization has no authorization endpoint.');
      const parameters = {
        client_id: client.clientId,
        redirect_uri: client.redirectUri,
        response_type: 'code',
        scope: 'openid email profile',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        login_hint: email,
        // Makes the provider ask the user to sign in again if the last sign-in is older than this age. The provider
        // must also report the time of the sign-in (Core 1.0 §3.1.2.1).
        max_age: String(FRESH_MS / 1_000),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },

    async claimsOf(client, { parameters, state, nonce, verifier }) {
      return orInvalid(
        (async () => {
          const server = await discover(client);
          const known: oauth.Client = { client_id: client.clientId };
          const callback = oauth.validateAuthResponse(server, known, parameters, state);
          const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
          const authenticate = methods.includes('client_secret_basic')
            ? oauth.ClientSecretBasic
            : oauth.ClientSecretPost;
          const response = await oauth.authorizationCodeGrantRequest(
            server,
            known,
            authenticate(client.clientSecret),
            callback,
            client.redirectUri,
            verifier,
            options(client.issuer),
          );
          const expected = { expectedNonce: nonce, requireIdToken: true };
          const tokens = await oauth.processAuthorizationCodeResponse(server, known, response, expected);
          await oauth.validateApplicationLevelSignature(server, response, options(client.issuer));
          const claims = oauth.getValidatedIdTokenClaims(tokens);
          if (!claims) throw new Error('the provider sent no id token');
          if (claims.email !== undefined || server.userinfo_endpoint === undefined) return claims;
          const info = await oauth.userInfoRequest(server, known, tokens.access_token, options(client.issuer));
          return { ...claims, ...(await oauth.processUserInfoResponse(server, known, claims.sub, info)) };
        })(),
      );
    },
  };
}

/**
 * Returns the result of requests to a provider. If a request fails, throws ServiceError `invalid` with the reason for
 * the user.
 */
async function orInvalid<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError('invalid', `The sign-in of the organization does not work: ${reason.slice(0, 300)}`, {
      cause: error,
    });
  }
}
