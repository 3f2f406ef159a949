import { generateKeyPair } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { PERMISSIONS } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import type { Logger } from '@tocsin/runtime';
import { errors, interactionPolicy, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { clientMetadata, staticClients } from '../../app/oauth/clients.ts';
import { isPolledTooEarly } from '../../app/oauth/device-codes.ts';
import { libraryStorage } from '../../app/oauth/library-storage.ts';
import type { Deps } from '../../app/ports.ts';
import type { Client } from '../../domain/oauth/client.ts';
import { requestedPermissions } from '../../domain/oauth/scope.ts';
import type { SignedIn } from '../../domain/session.ts';
import { deviceOf } from '../accounts.ts';
import { type Document, plainDocument } from '../shell.ts';
import { requestErrorPage } from './decision-pages.ts';

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** Lifetimes in seconds. The lifetime of a grant is stored with the grant. */
const LIFETIMES = {
  AccessToken: HOUR_S,
  AuthorizationCode: MINUTE_S,
  DeviceCode: 10 * MINUTE_S,
  Interaction: HOUR_S,
  // Each use issues a new refresh token, so this is the maximum time between two refreshes of a client.
  RefreshToken: 30 * DAY_S,
};

/** Seconds between a device's requests for its tokens (RFC 8628 §3.2). */
const POLL_INTERVAL_S = 5;

export interface ProviderOptions {
  readonly deps: Pick<Deps, 'database' | 'baseUrl' | 'now'>;
  readonly configuredClients: readonly Client[];
  readonly logger: Logger;
  /** Returns the signed-in user of a request. */
  readonly currentUser: (request: IncomingMessage) => Promise<SignedIn | undefined>;
}

/**
 * Returns the OAuth 2.1 server. It implements the rules of the protocol, and stores codes and tokens. Signing in, the
 * consent page and the page for devices are not part of it.
 */
export async function createProvider({ deps, configuredClients, logger, currentUser }: ProviderOptions) {
  const { baseUrl } = deps;
  const consentPath = `${basePathOf(baseUrl)}/oauth/consent/`;
  const storage = libraryStorage({
    ...deps,
    revocationReason: () => (Provider.ctx?.oidc.route === 'revocation' ? 'revoked_by_client' : 'reuse'),
    address: () => (Provider.ctx ? deviceOf(Provider.ctx.req).address : ''),
    usedBefore: () => new errors.InvalidGrant('the code or token was already used'),
  });
  const provider = new Provider(baseUrl, {
    adapter: storage,
    clients: staticClients(configuredClients).map(clientMetadata),
    clientAuthMethods: ['none'],
    clientDefaults: { response_modes: ['query'], id_token_signed_response_alg: 'ES256' },
    responseTypes: ['code'],
    scopes: [...PERMISSIONS],
    extraParams: { scope: replaceScope },
    // Tokens are opaque, so this key signs nothing. The library requires one.
    jwks: { keys: [await newSigningKey()] },
    pkce: { required: () => true },
    routes: {
      authorization: '/oauth/authorize',
      code_verification: '/oauth/device',
      device_authorization: '/oauth/device/code',
      introspection: '/oauth/introspect',
      revocation: '/oauth/revoke',
      token: '/oauth/token',
    },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true, deviceInfo: () => ({}) },
      dPoP: { enabled: false },
      introspection: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    ttl: LIFETIMES,
    cookies: { names: { interaction: 'tocsin-oauth', resume: 'tocsin-oauth-resume', session: 'tocsin-oauth-session' } },
    clientBasedCORS: (_ctx, origin, { redirectUris = [] }) =>
      redirectUris.some((uri) => URL.parse(uri)?.origin === origin),
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    // The user decides about each authorization request, so a grant of an earlier request is never used.
    loadExistingGrant: async ({ oidc: { provider, result } }) => {
      const grantId = result?.consent?.grantId;
      return grantId === undefined ? undefined : provider.Grant.find(grantId);
    },
    interactions: {
      policy: consentPolicy(),
      url: (_ctx, { uid }) => consentPath + uid,
    },
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    renderError(ctx, { error, error_description: description }) {
      sendDocument(ctx, plainDocument('This request for access does not work', `${description ?? ''} (${error})`));
    },
  });
  // The library may trust the proxy headers, because the request handler sets them.
  provider.proxy = true;
  useSessions(provider, currentUser);
  addPollLimit(provider, deps);
  showErrorsOfUnknownClients(provider, configuredClients, consentPath);
  reportFailures(provider, logger);
  return provider;
}

/**
 * Replaces the scope of a request with the known permissions in it. An absent or empty scope is replaced with all
 * permissions.
 */
function replaceScope(ctx: KoaContextWithOIDC, scope: unknown): void {
  const permissions = requestedPermissions(typeof scope === 'string' ? scope : undefined);
  if (permissions.length === 0) {
    throw new errors.InvalidScope(`scope must name at least one of ${PERMISSIONS.join(', ')}`, String(scope));
  }
  if (ctx.oidc.params) ctx.oidc.params.scope = permissions.join(' ');
}

/** Returns the rules for an authorization request: the user must sign in, and must then allow or deny the access. */
function consentPolicy(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy.remove('login');
  const signedIn = new interactionPolicy.Check(
    'no_session',
    'the user is not signed in',
    'login_required',
    ({ oidc }) => oidc.session?.accountId === undefined,
  );
  policy.add(new interactionPolicy.Prompt({ name: 'login', requestable: false }, signedIn), 0);
  return policy;
}

/**
 * Makes the library use the session with which the user signed in, instead of creating one. The session is marked as
 * untouched, so that the library does not store it and does not set a cookie.
 */
function useSessions(provider: Provider, currentUser: ProviderOptions['currentUser']): void {
  const read = async (ctx: KoaContextWithOIDC) => {
    const signedIn = await currentUser(ctx.req);
    const session = new provider.Session();
    if (signedIn) Object.assign(session, { accountId: signedIn.user.id, uid: signedIn.session.id });
    Object.defineProperty(session, 'touched', { value: false });
    ctx.oidc.entity('Session', session);
    return session;
  };
  Object.defineProperty(provider.Session, 'get', { value: read });
}

/** Adds the polling interval to responses for devices, and refuses requests that come too early (RFC 8628 §3.5). */
function addPollLimit(provider: Provider, deps: Pick<Deps, 'database' | 'now'>): void {
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    await next();
    if (ctx.oidc?.route === 'device_authorization' && ctx.status === 200) {
      ctx.body = { ...(ctx.body as object), interval: POLL_INTERVAL_S };
    }
    const { error } = (ctx.body ?? {}) as { error?: string };
    if (ctx.oidc?.route !== 'token' || error !== 'authorization_pending') return;
    if (await isPolledTooEarly(deps, String(ctx.oidc.params?.device_code))) {
      ctx.body = {
        error: 'slow_down',
        error_description: 'requests come too often; wait 5 seconds longer from now on',
      };
    }
  });
}

/**
 * Shows an error page if the request of a self-registered client fails, instead of redirecting to the client. Anyone
 * can register a client, so a link to this installation could otherwise redirect to any site without the user's
 * consent.
 */
function showErrorsOfUnknownClients(provider: Provider, configured: readonly Client[], consentPath: string): void {
  const known = new Set(staticClients(configured).map(({ id }) => id));
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    await next();
    const location = ctx.response.get('location');
    const client = ctx.oidc?.client;
    if (ctx.oidc?.route !== 'authorization' || !client || known.has(client.clientId)) return;
    if (location === '' || location.startsWith(consentPath)) return;
    ctx.remove('location');
    ctx.status = 400;
    sendDocument(ctx, requestErrorPage({ name: client.clientName ?? client.clientId, location }));
  });
}

/** Logs unexpected errors. Responds with status 429 if a limit is reached, and with 503 if a service is unavailable. */
function reportFailures(provider: Provider, logger: Logger): void {
  provider.on('server_error', (ctx, error) => {
    if (error instanceof ServiceError && (error.kind === 'unavailable' || error.kind === 'rate_limited')) {
      const isLimit = error.kind === 'rate_limited';
      ctx.status = isLimit ? 429 : 503;
      ctx.set('retry-after', isLimit ? '60' : '10');
      ctx.body = { error: 'temporarily_unavailable', error_description: error.message };
      return;
    }
    logger.error({ err: error }, 'an OAuth request failed');
  });
  // Without a listener, Koa writes errors to stderr. The variable has the type EventEmitter, because the type
  // declarations of oidc-provider lack this Koa event.
  const koa: EventEmitter = provider;
  koa.on('error', (error: unknown) => logger.error({ err: error }, 'an OAuth request failed'));
}

function sendDocument(ctx: KoaContextWithOIDC, { text, contentSecurityPolicy }: Document): void {
  ctx.set('content-security-policy', contentSecurityPolicy);
  ctx.set('cache-control', 'private, no-store');
  ctx.set('referrer-policy', 'same-origin');
  ctx.set('x-content-type-options', 'nosniff');
  ctx.type = 'html';
  ctx.body = text;
}

async function newSigningKey() {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'jwk' });
}

/** Returns the path of the installation's public URL; an empty string if the URL has no path. */
function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '');
}
