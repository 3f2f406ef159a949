import * as oauth from 'oauth4webapi';
import type { Visitor } from './visitor.ts';

/** Permits plain HTTP, for tests on the local machine only. */
export const INSECURE = { [oauth.allowInsecureRequests]: true };

/**
 * Redirect URI of a command-line client. Nothing listens there, because the visitor reads the redirect without
 * following it.
 */
const CALLBACK = 'http://127.0.0.1:8976/callback';

export const CLI: oauth.Client = { client_id: 'tocsin-cli' };

/** Returns the metadata of the authorization server (RFC 8414). */
export async function discover(baseUrl: string): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(baseUrl);
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...INSECURE });
  return oauth.processDiscoveryResponse(issuer, response);
}

/** Access that a user allows. */
export interface Access {
  /** UUID of the organization. */
  readonly organization: string;
  readonly permissions: readonly string[];
}

/** Gets tokens with an authorization code, after a signed-in visitor has allowed the access. */
export async function tokensByCode(
  server: oauth.AuthorizationServer,
  visitor: Visitor,
  { organization, permissions }: Access,
): Promise<oauth.TokenEndpointResponse> {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const request = new URL(server.authorization_endpoint ?? '');
  request.search = new URLSearchParams({
    client_id: CLI.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: permissions.join(' '),
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  }).toString();
  const consent = (await visitor.get(request.href)).location;
  const decision = new URLSearchParams({ decision: 'allow', organization });
  for (const permission of permissions) decision.append('scope', permission);
  const resumed = (await visitor.post(consent, decision)).location;
  const callback = new URL((await visitor.get(resumed)).location);
  const parameters = oauth.validateAuthResponse(server, CLI, callback, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    CLI,
    oauth.None(),
    parameters,
    CALLBACK,
    verifier,
    INSECURE,
  );
  return oauth.processAuthorizationCodeResponse(server, CLI, response);
}
