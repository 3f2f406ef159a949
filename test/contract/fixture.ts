import { ALL_PERMISSIONS, LIMIT_NAMES } from '@tocsin/enums';
import { createAdminClient } from '@tocsin/local/admin-client';
import { openSecrets } from '@tocsin/local/secrets';
import { type Answer, createApi } from '../api.ts';
import { type Network, startNetwork } from '../network.ts';
import { discover, tokensByCode } from '../oauth.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { startTarget, type Target } from '../target.ts';
import { signIn } from '../visitor.ts';
import { Witness } from './coverage/witness.ts';
import { type Document, readDocument } from './document.ts';

// Limits of every organization. They are so high that tests do not reach them by accident.
const ample = Object.fromEntries(LIMIT_NAMES.map((name) => [`TOCSIN_LIMIT_${name.toUpperCase()}`, '1000000000000']));

/** Sends a request below `/api/v1`. Checks every response against the OpenAPI document. */
export type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** An organization with API clients. */
export interface Tenant {
  readonly uuid: string;
  /** Sends a request with a key that has all permissions. */
  readonly call: Call;
  /** Returns a client with a new key that has these permissions. */
  callWith(permissions: readonly string[]): Promise<Call>;
  /** Returns a client with an OAuth access token that has these permissions. */
  callWithToken(permissions: readonly string[]): Promise<Call>;
  create<Created extends { id: string }>(path: string, body: object): Promise<Created>;
}

/** The running product with three organizations, one of them stopped. All contract tests share it. */
export interface Fixture extends AsyncDisposable {
  readonly network: Network;
  readonly document: Document;
  readonly receiver: Receiver;
  readonly target: Target;
  readonly mine: Tenant;
  readonly theirs: Tenant;
  /** An organization that is stopped because its deletion was requested. */
  readonly stopped: Tenant;
  /**
   * Sends a request to any path without a credential. If the document describes the operation, the response is checked
   * against it.
   */
  readonly ask: Call;
  /** Returns a client that sends this Authorization header, or no such header if it is undefined. */
  callAs(authorization: string | undefined): Call;
  /** Headers and bodies of all responses so far. */
  readonly answered: readonly string[];
  /** All keys and tokens that were created. */
  readonly keys: readonly string[];
}

export async function openFixture(env: NodeJS.ProcessEnv = {}): Promise<Fixture> {
  await using stack = new AsyncDisposableStack();
  const receiver = stack.use(await startReceiver());
  const target = stack.use(await startTarget());
  const network = stack.use(await startNetwork({ ...ample, ...env }));
  const document = await readDocument(network.baseUrl);
  const admin = createAdminClient({
    identityUrl: `http://${network.installation.bootstrap.grpc.identity}`,
    secret: (await openSecrets(network.dataDir)).services.admin,
  });
  const witness = new Witness();
  stack.defer(() => witness.keep(document.operations));
  const answered: string[] = [];
  const keys: string[] = [];

  const { send } = createApi(network.baseUrl, undefined);
  const ask: Call = async (method, path, body, headers) => {
    const response = await send(method, path, body, headers);
    const operation = document.check(method, path, response);
    if (operation) witness.saw(operation, body, response);
    answered.push(JSON.stringify([...response.headers]), JSON.stringify(response.body));
    return response;
  };

  function callAs(authorization: string | undefined): Call {
    const credential: Record<string, string> = authorization === undefined ? {} : { authorization };
    return (method, path, body, headers) => ask(method, `/api/v1${path}`, body, { ...credential, ...headers });
  }

  async function tenant(name: string): Promise<Tenant> {
    const ownerEmail = `${name.toLowerCase()}@example.com`;
    const { organization } = await admin.createOrganization({ name, ownerEmail });
    const uuid = organization?.id ?? '';
    async function callWith(permissions: readonly string[]): Promise<Call> {
      const { key } = await admin.createApiKey({ organizationId: uuid, name, permissions: [...permissions] });
      keys.push(key);
      return callAs(`Bearer ${key}`);
    }
    const call = await callWith(ALL_PERMISSIONS);
    const visitor = await signIn(network, ownerEmail);
    const withTokens = new Map<string, Promise<Call>>();
    async function withNewToken(permissions: readonly string[]): Promise<Call> {
      const tokens = await tokensByCode(await discover(network.baseUrl), visitor, { organization: uuid, permissions });
      keys.push(tokens.access_token, tokens.refresh_token ?? '');
      return callAs(`Bearer ${tokens.access_token}`);
    }
    return {
      uuid,
      call,
      callWith,
      callWithToken(permissions) {
        const name = permissions.join(' ');
        const known = withTokens.get(name) ?? withNewToken(permissions);
        withTokens.set(name, known);
        return known;
      },
      async create<Created>(path: string, body: object) {
        const { status, body: response } = await call('POST', path, body);
        if (status !== 201) throw new Error(`POST ${path} returned ${status}: ${JSON.stringify(response)}`);
        return (response as { data: Created }).data;
      },
    };
  }

  // `mine` is created first, so that `keys[0]` is its key.
  const mine = await tenant('Mine');
  const theirs = await tenant('Theirs');
  const stopped = await tenant('Stopped');
  await admin.deleteOrganization({ organizationId: stopped.uuid });
  const fixture = {
    network,
    document,
    receiver,
    target,
    ask,
    callAs,
    answered,
    keys,
    mine,
    theirs,
    stopped,
  };
  const open = stack.move();
  return { ...fixture, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Returns the body of a disabled http monitor, which runs no checks. */
export function idleMonitor(changes: object = {}): object {
  return {
    name: 'Shop',
    check_type: 'http',
    config: { url: 'https://shop.example.com/' },
    enabled: false,
    alert_channel_ids: [],
    ...changes,
  };
}

/** Returns the body of a disabled synthetic monitor, which runs no checks. */
export function idleScript(): object {
  return idleMonitor({ check_type: 'synthetic', config: { script: "await page.goto('https://shop.example.com/');" } });
}

export function webhookChannel(changes: object = {}): object {
  return { name: 'Hook', type: 'webhook', config: { url: 'https://hooks.example.com/tocsin' }, ...changes };
}

/**
 * Returns the body of a subscription whose receiver refuses connections at once. Its URL has an IP address, because a
 * failing DNS lookup would delay other deliveries.
 */
export function newWebhook(changes: object = {}): object {
  return { url: 'http://127.0.0.1:9/tocsin', events: ['monitor.created'], ...changes };
}

let pages = 0;

/** Returns the body of a page with a unique slug. */
export function newPage(changes: object = {}): object {
  pages += 1;
  return { name: 'Status', slug: `contract-${pages}`, ...changes };
}
