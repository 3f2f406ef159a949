import { problemOfLine } from '@tocsin/text';

/** Ways in which a client gets tokens (RFC 6749 §1.3, RFC 8628). */
export const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
] as const;

export type GrantType = (typeof GRANT_TYPES)[number];

/** A program to which users give access. It has no secret, because a program on a user's machine can't protect one. */
export interface Client {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly GrantType[];
}

/** Command-line client of Tocsin. */
export const BUILT_IN_CLIENT: Client = {
  id: 'tocsin-cli',
  name: 'Tocsin command line',
  // The port is chosen by the client when it listens (RFC 8252 §7.3).
  redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback', 'http://localhost/callback'],
  grantTypes: GRANT_TYPES,
};

export const MAX_NAME = 100;
export const MAX_REDIRECT_URIS = 10;
export const MAX_REDIRECT_URI = 500;

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** Matches valid hosts. Other hosts could contain characters that separate the sources in a content security policy. */
const HOST = /^([a-z0-9.-]*|\[[0-9a-f:.]+\])$/i;

/**
 * Returns what is wrong with a redirect URI; undefined if it is valid. A valid redirect URI is an https URL, an http
 * URL of the user's own machine, or a URI with the private scheme of a native app. A private scheme contains a dot (RFC
 * 8252 §7.1).
 */
export function problemOfRedirectUri(text: string): string | undefined {
  const rule =
    'must be an https URL, an http URL of the loopback interface, or a private scheme such as com.example.app:/';
  const url = URL.parse(text);
  if (!url || text.length > MAX_REDIRECT_URI || /[\s\p{Cc}\\]/u.test(text))
    return `${rule}, at most ${MAX_REDIRECT_URI} characters`;
  if (text.includes('#')) return 'must not have a fragment';
  if (url.username || url.password) return 'must not contain a user name or password';
  if (!HOST.test(url.hostname)) return 'must have a host of letters, digits, dots and hyphens, or an IP address';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:') return LOOPBACK.includes(url.hostname) ? undefined : rule;
  return url.protocol.includes('.') ? undefined : rule;
}

/** Whether a text can be the id of a client: up to 100 printable ASCII characters (RFC 6749 appendix A.1). */
export function isClientId(text: string): boolean {
  return /^[ -~]{1,100}$/.test(text);
}

/** Whether a client is native: none of its redirect URIs is an https URL. */
export function isNative(redirectUris: readonly string[]): boolean {
  return redirectUris.every((text) => URL.parse(text)?.protocol !== 'https:');
}

/** Returns the problems of a client, each with the name of its field; an empty list for a valid client. */
export function problemsOfClient({ name, redirectUris, grantTypes }: Omit<Client, 'id'>): string[] {
  const problems: string[] = [];
  const problemOfName = problemOfLine(name, MAX_NAME);
  if (problemOfName) problems.push(`client_name ${problemOfName}`);
  if (grantTypes.length === 0) problems.push('grant_types must name at least one grant type');
  for (const grantType of grantTypes) {
    if (!GRANT_TYPES.includes(grantType)) {
      problems.push(`grant_types: ${JSON.stringify(grantType)} is not one of ${GRANT_TYPES.join(', ')}`);
    }
  }
  if (grantTypes.includes('authorization_code') && redirectUris.length === 0) {
    problems.push('redirect_uris must contain a URI for the grant type authorization_code');
  }
  if (redirectUris.length > MAX_REDIRECT_URIS)
    problems.push(`redirect_uris must have at most ${MAX_REDIRECT_URIS} items`);
  for (const uri of redirectUris) {
    const problem = problemOfRedirectUri(uri);
    if (problem) problems.push(`redirect_uris: ${JSON.stringify(uri)} ${problem}`);
  }
  if (redirectUris.length > 0 && !isNative(redirectUris) && redirectUris.some((uri) => isNative([uri]))) {
    problems.push('redirect_uris must be either all of the web or all of native apps');
  }
  return problems;
}

/**
 * Parses a JSON list of clients: `[{"client_id", "client_name", "redirect_uris", "grant_types"}]`. `redirect_uris`
 * defaults to an empty list. `grant_types` defaults to all grant types, or to all except `authorization_code` if there
 * is no redirect URI.
 * @throws Error that names all problems.
 */
export function parseClients(text: string): Client[] {
  const list = parseList(text);
  const problems: string[] = [];
  const clients = list.map((item, index) => {
    const client = toClient(item);
    const found = [...problemsOfId(client.id, list.slice(0, index)), ...unknownKeys(item), ...problemsOfClient(client)];
    problems.push(...found.map((problem) => `client ${index + 1}: ${problem}`));
    return client;
  });
  if (problems.length > 0) throw new Error(problems.join('; '));
  return clients;
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const KEYS = ['client_id', 'client_name', 'redirect_uris', 'grant_types'];

function parseList(text: string): Fields[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`must be JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!Array.isArray(value) || !value.every(isObject)) throw new Error('must be a JSON list of objects');
  return value;
}

function toClient(item: Fields): Client {
  const redirectUris = texts(item.redirect_uris) ?? [];
  const named = texts(item.grant_types) as GrantType[] | undefined;
  return {
    id: typeof item.client_id === 'string' ? item.client_id : '',
    name: typeof item.client_name === 'string' ? item.client_name : '',
    redirectUris,
    grantTypes: named ?? GRANT_TYPES.filter((name) => name !== 'authorization_code' || redirectUris.length > 0),
  };
}

/**
 * Returns a list of texts; undefined if the field is absent. A value that is not a string is converted to JSON, so that
 * the later checks refuse it.
 */
function texts(value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  return (Array.isArray(value) ? value : [value]).map((item) =>
    typeof item === 'string' ? item : JSON.stringify(item),
  );
}

function problemsOfId(id: string, before: readonly Fields[]): string[] {
  if (!/^[\w.:/-]{1,100}$/.test(id)) {
    return ['client_id must have 1 to 100 letters, digits or characters of _.:/-'];
  }
  if (id === BUILT_IN_CLIENT.id) return [`client_id ${id} is built in`];
  return before.some((item) => item.client_id === id) ? [`client_id ${id} is used twice`] : [];
}

function unknownKeys(item: Fields): string[] {
  return Object.keys(item)
    .filter((key) => !KEYS.includes(key))
    .map((key) => `${key} is not one of ${KEYS.join(', ')}`);
}

/**
 * Returns the client that a registration request describes (RFC 7591 §2), or what is wrong with the request. Other
 * metadata is ignored. For example, a client that asks for a secret sees in the response that it has none (§3.2.1).
 * Without a name, the client is named after the host of its first redirect URI.
 */
export function parseRegistration(request: unknown): { client: Omit<Client, 'id'> } | { problems: readonly string[] } {
  if (!isObject(request)) return { problems: ['the body must be a JSON object'] };
  const { id: _, ...parsed } = toClient(request);
  const [first = ''] = parsed.redirectUris;
  const isNamed = request.client_name !== undefined;
  const client = isNamed ? parsed : { ...parsed, name: URL.parse(first)?.host || 'Unnamed client' };
  const problems = problemsOfClient(client);
  return problems.length > 0 ? { problems } : { client };
}
