import type { Context } from '../context.ts';
import { CliError, EXIT } from '../errors.ts';
import { get, textOf } from '../json.ts';
import type { Credential } from '../settings.ts';
import { request } from './client.ts';
import { baseUrlOf } from './url.ts';

const CLIENT_ID = 'tocsin-cli';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** Interval between requests for the tokens if the server does not specify an interval (RFC 8628 §3.2). */
const DEFAULT_INTERVAL_SECONDS = 5;

type Tokens = Extract<Credential, { kind: 'oauth' }>;

/** Endpoints of the authorization server (RFC 8414). */
export interface Endpoints {
  readonly device: string;
  readonly token: string;
  readonly revocation: string;
}

/** A sign-in that the user confirms in a browser. */
export interface DeviceLogin {
  readonly userCode: string;
  readonly url: string;
  /**
   * Waits until the user allows the sign-in, and returns the tokens. Throws an error if the user refuses or the code
   * expires.
   */
  tokens(): Promise<Tokens>;
}

/** Returns the endpoints of an installation. Throws an error if the installation states a URL other than `baseUrl`. */
export async function findEndpoints(baseUrl: string, { signal }: Context): Promise<Endpoints> {
  const { status, body } = await request(`${baseUrl}/.well-known/oauth-authorization-server`, {}, signal);
  const issuer = textOf(get(body, 'issuer'));
  if (status !== 200 || issuer === '') {
    throw new CliError(
      EXIT.unreachable,
      `${baseUrl} did not respond as an installation of Tocsin does. Is the URL right?`,
    );
  }
  // The issuer must be the URL of the installation (RFC 8414 §3.3). Otherwise another server could collect the tokens.
  if (baseUrlOf(issuer) !== baseUrl) {
    throw new CliError(EXIT.usage, `This installation has the URL ${issuer}. Run: tocsin login --url ${issuer}`);
  }
  return {
    device: textOf(get(body, 'device_authorization_endpoint')),
    token: textOf(get(body, 'token_endpoint')),
    revocation: textOf(get(body, 'revocation_endpoint')),
  };
}

/** Starts a sign-in with the device flow (RFC 8628). */
export async function startDeviceLogin(endpoints: Endpoints, scope: string, context: Context): Promise<DeviceLogin> {
  const { status, body } = await post(endpoints.device, { client_id: CLIENT_ID, scope }, context);
  if (status !== 200) throw refused(body);
  const deviceCode = textOf(get(body, 'device_code'));
  return {
    userCode: textOf(get(body, 'user_code')),
    url: textOf(get(body, 'verification_uri_complete')) || textOf(get(body, 'verification_uri')),
    async tokens() {
      let seconds = Number(get(body, 'interval') ?? DEFAULT_INTERVAL_SECONDS);
      for (;;) {
        await context.sleep(seconds * 1000);
        const form = { grant_type: DEVICE_GRANT, client_id: CLIENT_ID, device_code: deviceCode };
        const reply = await post(endpoints.token, form, context);
        if (reply.status === 200) return tokensOf(reply.body, context.now());
        const error = get(reply.body, 'error');
        // From now on, wait five seconds longer between requests (RFC 8628 §3.5).
        if (error === 'slow_down' || error === 'temporarily_unavailable') seconds += 5;
        else if (error !== 'authorization_pending') throw refused(reply.body);
      }
    },
  };
}

/**
 * Exchanges a refresh token for new tokens. The refresh token can't be used again. Returns undefined if access has
 * ended.
 */
export async function refreshTokens(
  endpoints: Endpoints,
  refreshToken: string,
  context: Context,
): Promise<Tokens | undefined> {
  const form = { grant_type: 'refresh_token', client_id: CLIENT_ID, refresh_token: refreshToken };
  const { status, body } = await post(endpoints.token, form, context);
  if (status === 200) return tokensOf(body, context.now());
  if (get(body, 'error') === 'invalid_grant') return undefined;
  throw new CliError(EXIT.unreachable, `The access token can't be renewed: the server returned ${status}.`);
}

/** Revokes a token and all other tokens of the same sign-in (RFC 7009). */
export async function revokeToken(endpoints: Endpoints, token: string, context: Context): Promise<void> {
  const { status } = await post(endpoints.revocation, { client_id: CLIENT_ID, token }, context);
  if (status !== 200) throw new CliError(EXIT.unreachable, `The server returned ${status}.`);
}

function post(url: string, body: object, { signal }: Context) {
  const headers = { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'tocsin-cli' };
  return request(url, { method: 'POST', headers, body: JSON.stringify(body) }, signal);
}

function tokensOf(body: unknown, now: number): Tokens {
  return {
    kind: 'oauth',
    accessToken: textOf(get(body, 'access_token')),
    refreshToken: textOf(get(body, 'refresh_token')),
    expiresAt: now + Number(get(body, 'expires_in') ?? 0) * 1000,
  };
}

function refused(body: unknown): CliError {
  const error = textOf(get(body, 'error'));
  if (error === 'access_denied') return new CliError(EXIT.signedOut, 'Access was not allowed in the browser.');
  if (error === 'expired_token')
    return new CliError(EXIT.signedOut, 'The code expired. Run the command again for a new one.');
  const description = textOf(get(body, 'error_description'));
  return new CliError(EXIT.signedOut, `The sign-in failed: ${description || error || 'no reason was given'}.`);
}
