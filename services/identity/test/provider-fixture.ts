import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Dns, Exports } from '../src/app/ports.ts';
import { Browser, type Page, pathOf } from './browser.ts';
import { BASE_URL, clientsOf, identityFixture } from './start-identity.ts';
import { CLIENT, startProvider } from './start-provider.ts';

export const START = new Date();
export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** Number of organizations that the tests of one file can use. */
const ORGANIZATIONS = 50;

/** Starts identity and an OpenID Connect provider, with organizations whose members can sign in at the provider. */
export async function providerFixture() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await identityFixture());
  const provider = stack.use(await startProvider());
  const clock = { now: START };
  /** TXT records by name. */
  const records = new Map<string, string>();
  const lookups = { count: 0 };
  const dns: Dns = {
    texts: async (name) => {
      lookups.count += 1;
      return [records.get(name)].filter((value) => value !== undefined);
    },
  };
  const exports: Exports = { listRows: async () => ({ rows: [], next: undefined }) };
  const identity = await fixture.start({ now: () => clock.now, dns, exports });
  const tables = await fixture.openTables();
  const query = (sql: string, ...values: unknown[]) =>
    tables.transaction('every organization', (tx) => tx.query<Record<string, unknown>>(sql, values));
  /** Returns a client with a new token, because the clock of the tests moves. */
  const admin = () => clientsOf(identity, 'admin').admin;

  // All organizations are created here, because the provider must have their redirect URIs before the first request.
  const unused: { id: string; number: number; domain: string }[] = [];
  for (let number = 0; number < ORGANIZATIONS; number += 1) {
    const domain = `d${number}.example`;
    const { organization } = await admin().createOrganization({
      name: `Acme ${number}`,
      ownerEmail: `owner@${domain}`,
    });
    const id = organization?.id ?? '';
    unused.push({ id, number, domain });
    provider.addRedirectUri(`${BASE_URL}/sign-in/organization/${id}/callback`);
  }
  const running = stack.move();

  /** Returns an organization, and a browser in which its owner is signed in. Resets the clock. */
  async function newOrganization() {
    const next = unused.pop();
    if (!next) throw new Error('the tests need more organizations');
    clock.now = START;
    const { id, number, domain } = next;
    const settings = `/account/organizations/${id}/settings`;
    const newBrowser = () => new Browser(identity, `198.51.100.${number}`);

    /** Signs a user in with a link from the operator. */
    async function signIn(email: string): Promise<Browser> {
      const browser = newBrowser();
      const { url } = await admin().createSignInLink({ email });
      expect((await browser.post(pathOf(url))).status).toBe(303);
      return browser;
    }

    const saveProvider = (changes: Record<string, string> = {}) =>
      organization.owner.post(`${settings}/provider`, {
        issuer: provider.issuer,
        ...CLIENT,
        role_claim: 'groups',
        ...changes,
      });

    /**
     * Adds a domain. If `isProven`, also adds the TXT record and proves the domain. Returns the path of the domain's
     * forms.
     */
    async function addDomain(name = domain, isProven = true): Promise<string> {
      expect((await organization.owner.post(`${settings}/domains`, { domain: name })).location).toBe(
        `${settings}?saved`,
      );
      const [row] = await query(
        'select id, proof from organization_domain where organization_id = $1 and domain = $2',
        id,
        name,
      );
      const path = `${settings}/domains/${row?.id}`;
      if (!isProven) return path;
      records.set(`_tocsin-sign-in.${name}`, String(row?.proof));
      expect((await organization.owner.post(`${path}/prove`)).location).toBe(`${settings}?saved`);
      return path;
    }

    /** Begins to sign in, and returns the URL of the provider. */
    async function begin(browser: Browser, email = `x@${domain}`, to = '/account?x=1'): Promise<string> {
      const page = await browser.post('/sign-in/organization', { email, next: to });
      expect(page.status, page.text).toBe(200);
      return (page.headers.get('refresh') ?? '').replace('0; url=', '');
    }

    const organization = {
      id,
      number,
      domain,
      settings,
      /** The browser of the owner. */
      owner: await signIn(`owner@${domain}`),
      newBrowser,
      signIn,
      saveProvider,
      addDomain,
      /** Adds the provider and the domain. */
      async setUp(): Promise<void> {
        expect((await saveProvider()).location).toBe(`${settings}?saved`);
        await addDomain();
      },
      begin,
      /** Signs in at the provider with these claims, and returns the response to the callback. */
      async enter(browser: Browser, user: { sub: string; [claim: string]: unknown }) {
        const url = await begin(browser);
        provider.signIn.user = user;
        return browser.visit(pathOf(await provider.visit(url)));
      },
      /** Claims of Kim, who is not a member at first. */
      kim: (changes: object = {}) => ({
        sub: `kim-${number}`,
        email: `kim@${domain}`,
        email_verified: true,
        ...changes,
      }),
      ownerClaims: () => ({ sub: `owner-${number}`, email: `owner@${domain}`, email_verified: true }),
      async roleOf(email: string) {
        const { members } = await admin().listMembers({ organizationId: id });
        return members.find((member) => member.email === email)?.role;
      },
      /** Gives a user a second factor. Returns a recovery code. */
      async addSecondFactor(email: string): Promise<string> {
        await query(
          `insert into user_totp (user_id, sealed_secret, created_at, enabled_at, last_step)
           select id, '', now(), now(), 0 from app_user where email = $1`,
          email,
        );
        const code = `RECOVERY${number}`;
        const hash = createHash('sha256').update(code).digest();
        await query('insert into recovery_code select id, $2 from app_user where email = $1', email, hash);
        return code;
      },
    };
    return organization;
  }

  return {
    /** Time of the service. */
    clock,
    provider,
    records,
    /** Number of lookups of TXT records. */
    lookups,
    tables,
    query,
    admin,
    newOrganization,
    /** Emails that were sent. */
    sent: fixture.sent,
    logged: fixture.logged,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** An organization whose members can sign in at the provider. */
export type Organization = Awaited<ReturnType<Awaited<ReturnType<typeof providerFixture>>['newOrganization']>>;

export const isSignedIn = async (browser: Browser) => (await browser.visit('/account')).status === 200;

/** Asserts that a page refuses a form with a message. */
export const refused = (page: Page, text: string) =>
  expect(page).toMatchObject({ status: 422, text: expect.stringContaining(text) });
