import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '@tocsin/database';
import type { Client } from '../src/domain/oauth/client.ts';
import type { IdentityServer } from '../src/service.ts';
import { Browser, pathOf } from './browser.ts';
import { BASE_URL, clientsOf, identityFixture, urlOf } from './start-identity.ts';

export const CALLBACK = 'http://127.0.0.1:8976/callback';

/** A client from the configuration of identity. */
export const FIELD_CLIENT: Client = {
  id: 'field-cli',
  name: 'Field CLI',
  redirectUris: ['https://app.example.com/callback'],
  grantTypes: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
};

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

/** Starts identity with a signed-in owner of one organization, and a client that sends OAuth requests. */
export async function oauthFixture({ now, ...options }: { now?: () => Date; oauthRegistration?: boolean } = {}) {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await identityFixture());
  const identity = await fixture.start({ ...(now && { now }), oauthClients: [FIELD_CLIENT], ...options });
  const tables = await fixture.openTables();
  const { admin } = clientsOf(identity, 'admin');
  const organizationId = await createOrganization('Acme', 'jane@example.com');
  const jane = await signIn('jane@example.com');

  async function createOrganization(name: string, ownerEmail: string): Promise<string> {
    const { organization } = await admin.createOrganization({ name, ownerEmail });
    return organization?.id ?? '';
  }

  async function signIn(email: string): Promise<Browser> {
    const browser = new Browser(identity);
    const { url } = await admin.createSignInLink({ email });
    const { status } = await browser.post(pathOf(url));
    if (status !== 303) throw new Error(`signing in returned ${status}`);
    return browser;
  }

  const running = stack.move();
  return {
    fixture,
    identity,
    tables,
    organizationId,
    jane,
    createOrganization,
    signIn,
    ...requestsTo(identity),
    query: query(tables),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function query(tables: Database) {
  return (sql: string, ...values: unknown[]) =>
    tables.transaction('every organization', (tx) => tx.query<Record<string, unknown>>(sql, values));
}

/** Returns functions that send requests to the OAuth endpoints as a client. */
function requestsTo(identity: IdentityServer) {
  async function post(
    path: string,
    body: Readonly<Record<string, unknown>>,
    { json = false, headers = {} }: { json?: boolean; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const response = await fetch(urlOf(identity) + path, {
      method: 'POST',
      headers: { ...(json && { 'content-type': 'application/json' }), ...headers },
      body: json ? JSON.stringify(body) : new URLSearchParams(body as Record<string, string>),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text), headers: response.headers };
  }

  /** Sends an authorization request, and returns the path of the consent page to which it redirects. */
  async function requestAccess(browser: Browser, changes: Readonly<Record<string, string>> = {}): Promise<string> {
    const { verifier: _, query } = authorization(changes);
    const { status, location = '', text } = await browser.visit(`/oauth/authorize?${query}`);
    if (status !== 303) throw new Error(`the authorization endpoint returned ${status}: ${text}`);
    return location.startsWith(BASE_URL) ? pathOf(location) : location;
  }

  /** Sends an authorization request, allows it as the user, and returns the code and its verifier. */
  async function authorize(
    browser: Browser,
    {
      organization,
      scopes,
      ...changes
    }: { organization: string; scopes: readonly string[] } & Readonly<Record<string, unknown>>,
  ): Promise<{ code: string; verifier: string; callback: URL }> {
    const { verifier, query } = authorization({ scope: scopes.join(' '), ...(changes as Record<string, string>) });
    const consent = (await browser.visit(`/oauth/authorize?${query}`)).location ?? '';
    const callback = await decide(browser, consent, [
      ['decision', 'allow'],
      ['organization', organization],
      ...scopes.map((scope): [string, string] => ['scope', scope]),
    ]);
    return { code: callback.searchParams.get('code') ?? '', verifier, callback };
  }

  /** Submits the consent page, and returns the URL to which the client is redirected. */
  async function decide(browser: Browser, consent: string, form: readonly [string, string][]): Promise<URL> {
    const decided = await browser.visit(consent, { form: new URLSearchParams([...form]) });
    if (decided.status !== 303) throw new Error(`the consent page returned ${decided.status}: ${decided.text}`);
    const resumed = await browser.visit(pathOf(decided.location ?? ''));
    if (resumed.status !== 303) throw new Error(`resuming returned ${resumed.status}: ${resumed.text}`);
    return new URL(resumed.location ?? '');
  }

  function exchangeCode(code: string, verifier: string, changes: Readonly<Record<string, string>> = {}) {
    return post('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: 'tocsin-cli',
      redirect_uri: CALLBACK,
      code,
      code_verifier: verifier,
      ...changes,
    });
  }

  function refresh(token: string, changes: Readonly<Record<string, string>> = {}) {
    return post('/oauth/token', {
      grant_type: 'refresh_token',
      client_id: 'tocsin-cli',
      refresh_token: token,
      ...changes,
    });
  }

  /** Returns tokens that a user granted. */
  async function tokensOf(browser: Browser, organization: string, scopes: readonly string[]): Promise<Tokens> {
    const { code, verifier } = await authorize(browser, { organization, scopes });
    const { status, body } = await exchangeCode(code, verifier);
    if (status !== 200) throw new Error(`the token endpoint returned ${status}: ${JSON.stringify(body)}`);
    return body as unknown as Tokens;
  }

  const pollDevice = (deviceCode: string, changes: Readonly<Record<string, string>> = {}, json = false) =>
    post(
      '/oauth/device/token',
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: 'tocsin-cli',
        device_code: deviceCode,
        ...changes,
      },
      { json },
    );

  return { post, requestAccess, authorize, decide, exchangeCode, refresh, tokensOf, pollDevice };
}

/** Returns the query of an authorization request with PKCE, and the verifier. */
export function authorization(changes: Readonly<Record<string, string>> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'tocsin-cli',
    redirect_uri: CALLBACK,
    scope: 'monitors:read',
    state: 'state-1',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  });
  for (const [name, value] of [...query]) if (value === '') query.delete(name);
  return { verifier, query };
}
