/** The parts of a request that may contain `{{NAME}}`. */
interface RequestTexts {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A monitor's secret variables by name. */
export type Secrets = ReadonlyMap<string, string>;

const REFERENCE = /\{\{([A-Za-z_][A-Za-z0-9_]{0,63})\}\}/g;

/**
 * Returns the config with each `{{NAME}}` in header values and body replaced by its secret. Unknown names are left as
 * they are.
 */
export function fillSecrets<T extends RequestTexts>(config: T, secrets: Secrets): T {
  if (secrets.size === 0) return config;
  // The replacement is a function, because `$` is special in a replacement string.
  const fill = (text: string) => text.replaceAll(REFERENCE, (reference, name) => secrets.get(name) ?? reference);
  const headers = Object.entries(config.headers).map(([name, value]) => [name, fill(value)] as const);
  return {
    ...config,
    headers: Object.fromEntries(headers),
    body: config.body === undefined ? undefined : fill(config.body),
  };
}
