import { html } from '@tocsin/html';
import type { Logger } from '@tocsin/runtime';
import { findShownClient } from '../../app/oauth/clients.ts';
import { registerClient } from '../../app/oauth/register-client.ts';
import type { Deps } from '../../app/ports.ts';
import { DEFAULT_NEXT, nextPath } from '../../domain/next-path.ts';
import type { Client } from '../../domain/oauth/client.ts';
import { type Accounts, forUser } from '../accounts.ts';
import { type Exchange, sendPage } from '../exchange.ts';
import type { WebRoute } from '../identity-web.ts';
import { documentOf } from '../shell.ts';
import { consentRoute } from './consent-web.ts';
import { deviceRoute } from './device-web.ts';
import { type Body, corsForAll, readBody, sendJson } from './endpoint.ts';
import { libraryRequest } from './library-request.ts';
import { resourceMetadata, serverMetadata } from './metadata.ts';
import { memberProgramsRoutes, programsRoutes } from './programs-web.ts';
import type { ProviderOptions } from './provider.ts';

export interface OauthOptions {
  readonly deps: Pick<Deps, 'database' | 'baseUrl' | 'now' | 'mails' | 'background'>;
  readonly accounts: Accounts;
  readonly logger: Logger;
  readonly clients: readonly Client[];
  /** Whether clients may register themselves. */
  readonly registration: boolean;
}

const SIGN_IN_FIRST = documentOf({
  title: 'Sign in first',
  body: html`<section class="card"><h1>Sign in first</h1>
<p>This request for access is too long to be continued after signing in. <a href="/sign-in">Sign in</a>, go back to the program that sent you here, and start again.</p></section>`,
});

/** Returns the routes for OAuth 2.1: pages for users, and endpoints for clients. */
export function oauthRoutes({ deps, accounts, logger, clients, registration }: OauthOptions): WebRoute[] {
  const { baseUrl } = deps;
  const { currentUser } = accounts;
  const library = lazyLibrary({ deps, configuredClients: clients, logger, currentUser });
  const shownClient = (id: string) => findShownClient({ ...deps, configuredClients: clients }, id);

  async function pass({ request, response }: Exchange, path: string, form?: URLSearchParams): Promise<void> {
    const { handle } = await library();
    await handle(libraryRequest(request, { baseUrl, path, form }), response);
  }

  /** Returns a route for an endpoint that clients call with a form or a JSON object. */
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
        // With `prompt=none`, the library redirects to the client with an error instead of asking the user to sign in.
        if (exchange.url.searchParams.get('prompt') === 'none') return pass(exchange, authorizationPath(exchange));
        const comesBack = nextPath(pathOf(exchange)) !== DEFAULT_NEXT;
        if (!comesBack && !(await currentUser(exchange.request))) return sendPage(exchange, 401, SIGN_IN_FIRST);
        await forUser(accounts, (same) => pass(same, authorizationPath(same)))(exchange);
      },
    },
    { path: '/oauth/authorize/:uid', get: forUser(accounts, (exchange) => pass(exchange, pathOf(exchange))) },
    consentRoute({ provider: async () => (await library()).provider, deps, accounts, shownClient }),
    deviceRoute({ deps, accounts, shownClient }),
    ...programsRoutes(deps, accounts),
    ...memberProgramsRoutes(deps, accounts),
  ];
}

/**
 * Returns a function that returns the OAuth server. The server is created, and its library loaded, when it is first
 * used, because it takes about 10 MiB, and many installations have no OAuth clients.
 */
function lazyLibrary(options: ProviderOptions) {
  const create = async () => {
    const { createProvider } = await import('./provider.ts');
    const provider = await createProvider(options);
    return { provider, handle: provider.callback() };
  };
  let created: ReturnType<typeof create> | undefined;
  return () => {
    // After a failure, the next request tries again.
    created ??= create().catch((error: unknown) => {
      created = undefined;
      throw error;
    });
    return created;
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

function sendProblem(exchange: Exchange, { problem, status }: Extract<Body, { problem: string }>): void {
  sendJson(exchange, status, { error: 'invalid_request', error_description: problem });
}

function pathOf({ url }: Exchange): string {
  return url.pathname + url.search;
}

/**
 * Returns the path of an authorization request. Replaces response modes other than `query` with an unknown one, which
 * the library refuses. For some of these modes, the library would otherwise respond with a page that contains a script.
 */
function authorizationPath({ url }: Exchange): string {
  const parameters = new URLSearchParams(url.search);
  if ((parameters.get('response_mode') ?? 'query') !== 'query') parameters.set('response_mode', 'unsupported');
  return `${url.pathname}?${parameters}`;
}
