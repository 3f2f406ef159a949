import { CheckFailure } from './check-failure.ts';

/** The parts of a request that may contain `{{NAME}}`. */
interface RequestTexts {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A monitor's secret variables by name. */
export type Secrets = ReadonlyMap<string, string>;

const REFERENCE = /\{\{([A-Za-z_][A-Za-z0-9_]{0,63})\}\}/g;

/**
 * Maximum length of the header values and the body in sum, in UTF-16 code units. It is enough for the longest config
 * that contains each secret once.
 */
const MAX_FILLED = 512 * 1024;

/**
 * Returns the config with each `{{NAME}}` in header values and body replaced by its secret. Unknown names are left as
 * they are.
 * @throws {CheckFailure} before anything is filled, if the request would be longer than MAX_FILLED.
 */
export function fillSecrets<T extends RequestTexts>(config: T, secrets: Secrets): T {
  if (secrets.size === 0) return config;
  const texts = [...Object.values(config.headers), config.body ?? ''];
  const length = texts.reduce((sum, text) => sum + filledLength(text, secrets), 0);
  if (length > MAX_FILLED) {
    const limit = `${length} characters long with the values of its secrets, and may have at most ${MAX_FILLED}`;
    throw new CheckFailure(
      'fail',
      `the request would be ${limit}: refer to secrets less often in its headers and body`,
    );
  }
  // The replacement is a function, because `$` is special in a replacement string.
  const fill = (text: string) => text.replaceAll(REFERENCE, (reference, name) => secrets.get(name) ?? reference);
  const headers = Object.entries(config.headers).map(([name, value]) => [name, fill(value)] as const);
  return {
    ...config,
    headers: Object.fromEntries(headers),
    body: config.body === undefined ? undefined : fill(config.body),
  };
}

/** Returns the length of a text with its secrets, without filling it. */
function filledLength(text: string, secrets: Secrets): number {
  let { length } = text;
  for (const [reference, name = ''] of text.matchAll(REFERENCE)) {
    length += (secrets.get(name) ?? reference).length - reference.length;
  }
  return length;
}
