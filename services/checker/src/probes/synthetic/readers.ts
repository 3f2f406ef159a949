/** A call that is invalid or not allowed. The message is for the script's author. */
export class Refusal extends Error {}

/**
 * Validates a value from a script and returns it.
 * @throws Refusal when it is invalid.
 */
export type Reader = (value: unknown) => unknown;

const MAX_TEXT = 64 * 1024;

export const text: Reader = (value) => {
  if (typeof value === 'string' && value.length <= MAX_TEXT) return value;
  throw new Refusal(`must be a text of at most ${MAX_TEXT} characters`);
};

export const number: Reader = (value) => {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new Refusal('must be a number');
};

export const flag: Reader = (value) => {
  if (typeof value === 'boolean') return value;
  throw new Refusal('must be true or false');
};

export function oneOf(...words: readonly string[]): Reader {
  return (value) => {
    if (typeof value === 'string' && words.includes(value)) return value;
    throw new Refusal(`must be one of ${words.join(', ')}`);
  };
}

/** Reads a string, or a pattern encoded as `{ $pattern: [source, flags] }`. */
export const textOrPattern: Reader = (value) => {
  const pattern = property(value, '$pattern');
  if (!Array.isArray(pattern)) return text(value);
  try {
    return new RegExp(String(text(pattern[0])), String(text(pattern[1])));
  } catch {
    throw new Refusal('must be a text or a pattern');
  }
};

/** Reads a URL that a script may open. Files and the browser's internal pages are not allowed. */
export const pageUrl: Reader = (value) => {
  const url = String(text(value));
  if (/^(https?:|about:blank$|data:)/i.test(url) && URL.canParse(url)) return url;
  throw new Refusal(`can't be opened: "${url}" is not an http or https URL`);
};

export const httpUrl: Reader = (value) => {
  const url = String(text(value));
  if (/^https?:/i.test(url) && URL.canParse(url)) return url;
  throw new Refusal(`can't be requested: "${url}" is not an http or https URL`);
};

/** Reads the source of a function or expression that the page evaluates. The host never evaluates it. */
export const code: Reader = (value) => {
  const body = property(value, '$code');
  return body === undefined ? text(value) : `(${text(body)})`;
};

export function listOf(read: Reader): Reader {
  return (value) => {
    if (Array.isArray(value) && value.length <= 100) return value.map(read);
    throw new Refusal('must be a list of at most 100');
  };
}

export function either(first: Reader, second: Reader): Reader {
  return (value) => {
    try {
      return first(value);
    } catch {
      return second(value);
    }
  };
}

/** Returns a reader of objects that have only these fields. */
export function fields(readers: Readonly<Record<string, Reader>>): Reader {
  return (value) => {
    const entries = entriesOf(value).map(([name, inner]) => {
      const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
      if (!read) throw new Refusal(`has no ${name} here: there is ${Object.keys(readers).join(', ')}`);
      return [name, named(name, () => read(inner))] as const;
    });
    return Object.fromEntries(entries);
  };
}

/** Reads an object of strings, such as headers. */
export const texts: Reader = (value) =>
  Object.fromEntries(entriesOf(value).map(([name, inner]) => [name, named(name, () => text(inner))]));

/** Accepts any JSON value. */
export const json: Reader = (value) => value;

/** Reads the arguments of a call. Missing trailing arguments are not added. */
export function readAll(readers: readonly Reader[], args: readonly unknown[]): unknown[] {
  if (args.length > readers.length) throw new Refusal(`takes at most ${readers.length} arguments`);
  return args.map((arg, index) => (arg === undefined || arg === null ? undefined : readers[index]?.(arg)));
}

function entriesOf(value: unknown): [string, unknown][] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).filter(([name, inner]) => name !== '__proto__' && inner !== undefined);
  }
  throw new Refusal('must be an object');
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

function named(name: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(`${name} ${error.message}`) : error;
  }
}
