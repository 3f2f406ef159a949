interface QuerySchema {
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>;
}

/** What JSON takes for an integer, without an exponent. */
const INTEGER = /^-?(0|[1-9]\d{0,14})$/;

/**
 * Converts the texts of a query string to the integers and booleans that its schema asks for, in place. A text that is
 * neither stays as it is, and the validation refuses it.
 */
export function convertQuery({ properties = {} }: QuerySchema, query: Record<string, unknown>): void {
  for (const [name, { type }] of Object.entries(properties)) {
    const text = query[name];
    if (typeof text !== 'string') continue;
    if (type === 'integer' && INTEGER.test(text)) query[name] = Number(text);
    if (type === 'boolean' && (text === 'true' || text === 'false')) query[name] = text === 'true';
  }
}
