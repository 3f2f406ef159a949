import { createAdminClient } from '@tocsin/local/admin-client';
import { openSecrets } from '@tocsin/local/secrets';
import type { Network } from './network.ts';

export interface VisitedPage {
  readonly status: number;
  readonly text: string;
  /** Absolute URL to which the response redirects; empty if the response is no redirect. */
  readonly location: string;
}

/** HTTP client that stores cookies like a browser. It runs no scripts and follows no redirects. */
export class Visitor {
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();

  constructor(baseUrl: string) {
    this.#origin = new URL(baseUrl).origin;
  }

  get(path: string): Promise<VisitedPage> {
    return this.#visit(path, { method: 'GET' });
  }

  /** Submits a form on a page of the installation. */
  post(path: string, form: URLSearchParams = new URLSearchParams()): Promise<VisitedPage> {
    return this.#visit(path, { method: 'POST', body: form, headers: { origin: this.#origin } });
  }

  async #visit(path: string, init: RequestInit): Promise<VisitedPage> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const url = new URL(path, this.#origin);
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(header) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return {
      status: response.status,
      text: await response.text(),
      location: location === null ? '' : new URL(location, url).href,
    };
  }
}

/**
 * Signs a user in with a link that the operator creates.
 *
 * @param email Address of the user. Defaults to the address of the first organization's owner.
 */
export async function signIn({ installation, dataDir, baseUrl }: Network, email = 'owner@localhost'): Promise<Visitor> {
  const admin = createAdminClient({
    identityUrl: `http://${installation.bootstrap.grpc.identity}`,
    secret: (await openSecrets(dataDir)).services.admin,
  });
  const visitor = new Visitor(baseUrl);
  const { url } = await admin.createSignInLink({ email });
  const { status } = await visitor.post(url);
  if (status !== 303) throw new Error(`the sign-in link returned ${status}`);
  return visitor;
}
