/** Client for the public API. */
export interface Api {
  /** Sends a request and returns status, headers and body. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a request and returns `data`. Throws if the status is not a success. */
  get<Data>(path: string): Promise<Data>;
  post<Data>(path: string, body?: unknown): Promise<Data>;
  patch<Data>(path: string, body: unknown): Promise<Data>;
  put<Data>(path: string, body: unknown): Promise<Data>;
  delete(path: string): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  /** Text of the body, not parsed. */
  readonly text: string;
}

export function createApi(baseUrl: string, apiKey: string | undefined): Api {
  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = text !== '' && (response.headers.get('content-type')?.includes('json') ?? false);
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text, text };
  }

  async function data<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const response = await send(method, `/api/v1${path}`, body);
    if (response.status >= 300)
      throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(response.body)}`);
    return (response.body as { data: Data }).data;
  }

  return {
    send,
    get: (path) => data('GET', path),
    post: (path, body) => data('POST', path, body),
    patch: (path, body) => data('PATCH', path, body),
    put: (path, body) => data('PUT', path, body),
    async delete(path) {
      const { status } = await send('DELETE', `/api/v1${path}`);
      if (status !== 204) throw new Error(`DELETE ${path} returned ${status}`);
    },
  };
}
