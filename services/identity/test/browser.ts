import type { IdentityServer } from '../src/service.ts';
import { BASE_URL, urlOf } from './start-identity.ts';

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** Path to which the response redirects; undefined if it does not. */
  readonly location: string | undefined;
}

interface Visit {
  /** Fields of a form. If present, they are sent with a POST. */
  readonly form?: Readonly<Record<string, string>> | URLSearchParams;
  /** Origin of the page that sends the form; null to send none. */
  readonly origin?: string | null;
  readonly method?: string;
}

/**
 * A client that stores cookies like a browser, sends requests as the gateway forwards them, and follows no redirect.
 */
export class Browser {
  readonly #url: string;
  readonly #cookies = new Map<string, string>();
  readonly address: string;

  constructor(identity: IdentityServer, address = '192.0.2.1') {
    this.#url = urlOf(identity);
    this.address = address;
  }

  get cookies(): ReadonlyMap<string, string> {
    return this.#cookies;
  }

  store(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  async visit(path: string, { form, origin = BASE_URL, method = form ? 'POST' : 'GET' }: Visit = {}): Promise<Page> {
    const response = await fetch(this.#url + path, {
      method,
      redirect: 'manual',
      headers: {
        'user-agent': 'Test Browser',
        'x-forwarded-for': this.address,
        cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(method === 'POST' && origin !== null && { origin }),
      },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';')[0]?.split('=') ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    const location = response.headers.get('location') ?? undefined;
    return { status: response.status, text: await response.text(), headers: response.headers, location };
  }

  /** Submits a form. */
  async post(path: string, form: Readonly<Record<string, string>> = {}): Promise<Page> {
    return this.visit(path, { form });
  }
}

/** Returns the path of a URL of the installation. */
export function pathOf(url: string): string {
  const { origin, pathname, search } = new URL(url);
  if (origin !== BASE_URL) throw new Error(`${url} is not a URL of the installation`);
  return pathname + search;
}
