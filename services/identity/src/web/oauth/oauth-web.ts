import { html } from '@tocsin/html';
import type { Logger } from '@tocsin/runtime';
import type Provider from 'oidc-provider';
import { findShownClient } from '../../app/oauth/clients.ts';
import { decideDevice, findDevice, formatUserCode, normalizeUserCode } from '../../app/oauth/device-codes.ts';
import { type Approval, approveAccess, listMembershipsOf } from '../../app/oauth/grants.ts';
import { registerClient } from '../../app/oauth/register-client.ts';
import type { Deps } from '../../app/ports.ts';
import { DEFAULT_NEXT, nextPath } from '../../domain/next-path.ts';
import type { Client } from '../../domain/oauth/client.ts';
import { commonPermissions, requestedPermissions } from '../../domain/oauth/scope.ts';
import { permissionsOf } from '../../domain/role.ts';
import type { SignedIn } from '../../domain/session.ts';
import { type Accounts, forUser } from '../accounts.ts';
import { type Exchange, readForm, redirectTo, sendPage } from '../exchange.ts';
import type { WebRoute } from '../identity-web.ts';
import { documentOf, plainDocument } from '../shell.ts';
import { type AccessRequest, codePage, decisionPage, resultPage } from './decision-pages.ts';
import { type Body, corsForAll, readBody, sendJson } from './endpoint.ts';
import { libraryRequest } from './library-request.ts';
import { resourceMetadata, serverMetadata } from './metadata.ts';

import { programsRoutes } from './programs-web.ts';
import { createProvider } from './provider.ts';

export interface OauthOptions {
  readonly deps: Pick<Deps, 'database' | 'baseUrl' | 'now'>;
  readonly accounts: Accounts;
  readonly logger: Logger;
  readonly clients: readonly Client[];
  /** Whether clients may register themselves. */
  readonly registration: boolean;
}

const UNKNOWN_REQUEST = plainDocument(
  'This request for access has expired',
  'Go back to the program that sent you here, and start again.',
);

const SIGN_IN_FIRST = documentOf({
  title: 'Sign in first',
  body: html`<section class="card"><h1>Sign in first</h1>
<p>This request for access is too long to continue with it after signing in. <a href="/sign-in">Sign in</a>, go back to the program that sent you here, and start again.</p></section>`,
});

const CODE_PROBLEMS = {
  unknown: 'This code is not known. Compare it with the one that is shown, or ask for another one.',
  expired: 'This code has expired. Start again at the program or device.',
  decided: 'This code was already used. Start again at the program or device.',
};

/** Returns the routes of OAuth 2.1: pages for users, and endpoints for clients. */
export async function oauthRoutes({
  deps,
  accounts,
  logger,
  clients,
  registration,
}: OauthOptions): Promise<WebRoute[]> {
  const { baseUrl } = deps;
  const { currentUser } = accounts;
  const provider = await createProvider({ deps, configuredClients: clients, logger, currentUser });
  const callLibrary = provider.callback();
  const shownClient = (id: string) => findShownClient({ ...deps, configuredClients: clients }, id);

  async function pass({ request, response }: Exchange, path: string, form?: URLSearchParams): Promise<void> {
    await callLibrary(libraryRequest(request, { baseUrl, path, form }), response);
  }

  /** Returns a route of an endpoint that clients call with a form or a JSON object. */
  const endpoint = (path: string, libraryPath = path): WebRoute => ({
    path,
    any: async (exchange) => {
      const { method } = exchange.request;
      if (method === 'OPTIONS') return pass(exchange, libraryPath);
      if (method !== 'POST') return sendJson(exchange, 405, { error: 'invalid_request' }, { allow: 'POST, OPTIONS' });
      const body = await readBody(exchange);
      if ('problem' in body) return sendProblem(exchange, body);
      await pass(exchange, libraryPath, body.form);
    },
  });

  const document = (path: string, value: object): WebRoute => ({
    path,
    any: (exchange) => {
      if (corsForAll(exchange, 'GET')) return;
      sendJson(exchange, 200, value, { 'cache-control': 'public, max-age=300' });
    },
  });

  return [
    document('/.well-known/oauth-authorization-server', serverMetadata(baseUrl, { registration })),
    document('/.well-known/oauth-protected-resource', resourceMetadata(baseUrl)),
    endpoint('/oauth/token'),
    endpoint('/oauth/device/token', '/oauth/token'),
    endpoint('/oauth/device/code'),
    endpoint('/oauth/revoke'),
    endpoint('/oauth/introspect'),
    ...(registration ? [registrationRoute(deps)] : []),
    {
      path: '/oauth/authorize',
      async get(exchange) {
        // The library tells a client that does not want to disturb the user that nobody is signed in.
        if (exchange.url.searchParams.get('prompt') === 'none') return pass(exchange, authorizationPath(exchange));
        const comesBack = nextPath(pathOf(exchange)) !== DEFAULT_NEXT;
        if (!comesBack && !(await currentUser(exchange.request))) return sendPage(exchange, 401, SIGN_IN_FIRST);
        await forUser(accounts, (same) => pass(same, authorizationPath(same)))(exchange);
      },
    },
    { path: '/oauth/authorize/:uid', get: forUser(accounts, (exchange) => pass(exchange, pathOf(exchange))) },
    consentRoute({ provider, deps, accounts, shownClient }),
    deviceRoute({ deps, accounts, shownClient }),
    ...programsRoutes(deps, accounts),
  ];
}

interface Parts {
  readonly deps: OauthOptions['deps'];
  readonly accounts: Accounts;
  readonly shownClient: (id: string) => ReturnType<typeof findShownClient>;
}

/** Returns the page on which a user decides about an authorization request. */
function consentRoute({ provider, deps, accounts, shownClient }: Parts & { provider: Provider }): WebRoute {
  async function read({ params }: Exchange, signedIn: SignedIn) {
    const { user } = signedIn;
    const interaction = await provider.Interaction.find(params.uid ?? '');
    if (interaction?.prompt.name !== 'consent' || interaction.session?.accountId !== user.id) return undefined;
    const { client_id: clientId, scope, redirect_uri: redirectUri } = interaction.params;
    const client = await shownClient(String(clientId));
    if (!client) return undefined;
    const memberships = await listMembershipsOf(deps, user.id);
    const permissions = requestedPermissions(String(scope));
    return {
      interaction,
      request: { signedIn, client, memberships, permissions, redirectUri: String(redirectUri), userCode: undefined },
    };
  }

  return {
    path: '/oauth/consent/:uid',
    get: forUser(accounts, async (exchange, signedIn) => {
      const found = await read(exchange, signedIn);
      sendPage(exchange, found ? 200 : 410, found ? decisionPage(found.request) : UNKNOWN_REQUEST);
    }),
    post: forUser(accounts, async (exchange, signedIn) => {
      const found = await read(exchange, signedIn);
      if (!found) return sendPage(exchange, 410, UNKNOWN_REQUEST);
      const { interaction, request } = found;
      const decision = decisionOf(await readForm(exchange), request);
      if ('problem' in decision) return sendPage(exchange, 422, decisionPage({ ...request, ...decision }));
      if (decision.approval) {
        const grant = await approveAccess(deps, decision.approval);
        interaction.result = { consent: { grantId: grant.id } };
        // Without this, the library would look for requested permissions that the user did not grant.
        interaction.params.scope = grant.scopes.join(' ');
      } else interaction.result = { error: 'access_denied', error_description: 'the user denied access' };
      await interaction.persist();
      redirectTo(exchange, interaction.returnTo);
    }),
  };
}

/** Returns the page on which a user enters the code of a device and decides about its access (RFC 8628 §3.3). */
function deviceRoute({ deps, accounts, shownClient }: Parts): WebRoute {
  async function read(typed: string, signedIn: SignedIn): Promise<AccessRequest | keyof typeof CODE_PROBLEMS> {
    const userCode = normalizeUserCode(typed);
    const device = await findDevice(deps, userCode);
    if (typeof device === 'string') return device;
    const client = await shownClient(device.clientId);
    if (!client) return 'unknown';
    return {
      signedIn,
      client,
      memberships: await listMembershipsOf(deps, signedIn.user.id),
      permissions: requestedPermissions(device.scope),
      redirectUri: undefined,
      userCode: formatUserCode(userCode),
    };
  }

  return {
    path: '/oauth/device',
    get: forUser(accounts, async (exchange, signedIn) => {
      const typed = (exchange.url.searchParams.get('user_code') ?? '').slice(0, 20);
      if (typed === '') return sendPage(exchange, 200, codePage(signedIn.user));
      const request = await read(typed, signedIn);
      if (typeof request !== 'string') return sendPage(exchange, 200, decisionPage(request));
      sendPage(exchange, 404, codePage(signedIn.user, { typed, problem: CODE_PROBLEMS[request] }));
    }),
    post: forUser(accounts, async (exchange, signedIn) => {
      const { user } = signedIn;
      const form = await readForm(exchange);
      const request = await read(form.get('user_code') ?? '', signedIn);
      if (typeof request === 'string') {
        return sendPage(exchange, 404, codePage(user, { problem: CODE_PROBLEMS[request] }));
      }
      const decision = decisionOf(form, request);
      if ('problem' in decision) return sendPage(exchange, 422, decisionPage({ ...request, ...decision }));
      const { approval } = decision;
      const userCode = normalizeUserCode(request.userCode ?? '');
      if (!(await decideDevice(deps, { userCode, approval }))) {
        return sendPage(exchange, 404, codePage(user, { problem: CODE_PROBLEMS.decided }));
      }
      sendPage(exchange, 200, resultPage(user, { isAllowed: approval !== undefined, name: request.client.name }));
    }),
  };
}

/** Returns the endpoint at which clients register themselves (RFC 7591 §3). */
function registrationRoute(deps: OauthOptions['deps']): WebRoute {
  return {
    path: '/oauth/register',
    any: async (exchange) => {
      if (corsForAll(exchange, 'POST')) return;
      const body = await readBody(exchange);
      if ('problem' in body) return sendProblem(exchange, body);
      const registered = await registerClient(deps, body.json);
      if ('metadata' in registered) return sendJson(exchange, 201, registered.metadata);
      const description = registered.problems.slice(0, 5).join('; ');
      const error = description.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata';
      sendJson(exchange, 400, { error, error_description: description });
    },
  };
}

/** Returns what a user decided with a form: an approval, none to deny, or what is wrong with the form. */
function decisionOf(
  form: URLSearchParams,
  { signedIn, client, memberships, permissions }: AccessRequest,
): { approval: Approval | undefined } | { problem: string } {
  if (form.get('decision') !== 'allow') return { approval: undefined };
  const membership = memberships.find(({ organization }) => organization.id === form.get('organization'));
  if (!membership) return { problem: 'Choose an organization.' };
  const { organization, role } = membership;
  const ticked = commonPermissions(form.getAll('scope'), permissions);
  if (ticked.length === 0) return { problem: 'Choose at least one permission, or deny the access.' };
  const scopes = commonPermissions(ticked, permissionsOf(role));
  if (scopes.length === 0) {
    return { problem: `Your role in ${organization.name} (${role}) includes none of these permissions.` };
  }
  return { approval: { signedIn, organizationId: organization.id, client, scopes } };
}

function sendProblem(exchange: Exchange, { problem, status }: Extract<Body, { problem: string }>): void {
  sendJson(exchange, status, { error: 'invalid_request', error_description: problem });
}

function pathOf({ url }: Exchange): string {
  return url.pathname + url.search;
}

/**
 * Returns the path of an authorization request. Response modes other than `query` are made unknown to the library,
 * which would respond to some with a page that contains a script.
 */
function authorizationPath({ url }: Exchange): string {
  const parameters = new URLSearchParams(url.search);
  if ((parameters.get('response_mode') ?? 'query') !== 'query') parameters.set('response_mode', 'unsupported');
  return `${url.pathname}?${parameters}`;
}
