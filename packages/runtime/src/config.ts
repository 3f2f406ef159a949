import { readFileSync } from 'node:fs';

/** Error for an invalid environment. Its message lists all problems, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads an environment and collects all errors, so that the operator can correct them together. Instead of a variable,
 * the operator can set the variable with the suffix `_FILE` to the path of a file that contains the value, such as a
 * mounted secret.
 */
export class ConfigReader {
  readonly #env: Environment;
  readonly #problems: string[] = [];

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Returns a string. Without a fallback, the variable is required. */
  string(name: string, fallback?: string): string {
    return this.#read(name, fallback, (text) => text, 'a text');
  }

  /** Returns a string; undefined if it is not set. */
  optional(name: string): string | undefined {
    return this.#raw(name);
  }

  /** Returns the path of the file that contains a variable's value; undefined if the variable itself contains it. */
  fileOf(name: string): string | undefined {
    return this.#env[name] ? undefined : this.#env[`${name}_FILE`] || undefined;
  }

  integer(name: string, range: { min: number; max: number }, fallback?: number): number {
    return this.#read(
      name,
      fallback,
      (text) => {
        const value = Number(text);
        return Number.isInteger(value) && value >= range.min && value <= range.max ? value : undefined;
      },
      `a whole number from ${range.min} to ${range.max}`,
    );
  }

  /** Returns a TCP port; 0 stands for any free port. */
  port(name: string, fallback?: number): number {
    return this.integer(name, { min: 0, max: 65_535 }, fallback);
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[], fallback?: Choice): Choice {
    return this.#read(
      name,
      fallback,
      (text) => choices.find((choice) => choice === text),
      `one of ${choices.join(', ')}`,
    );
  }

  boolean(name: string, fallback?: boolean): boolean {
    return this.oneOf(name, ['true', 'false'], fallback === undefined ? undefined : `${fallback}`) === 'true';
  }

  /** Returns an absolute http(s) URL, without a trailing slash. */
  url(name: string, fallback?: string): string {
    return this.#read(
      name,
      fallback,
      (text) => (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text.replace(/\/+$/, '') : undefined),
      'an http or https URL',
    );
  }

  /** Returns the result of `parse`. If `parse` throws, reports the message of its error. */
  parsed<Value>(name: string, parse: (text: string) => Value, fallback?: string): Value {
    const text = this.#raw(name) ?? fallback;
    try {
      if (text === undefined) throw new Error('is required');
      return parse(text);
    } catch (error) {
      this.#problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined as Value; // never returned to the caller, because done() throws
    }
  }

  /**
   * Returns the database URL of a service: `TOCSIN_<SERVICE>_DATABASE_URL`, or `TOCSIN_DATABASE_URL` with a schema
   * named after the service.
   */
  databaseUrl(service: string): string {
    return this.#databaseUrl(service, 'DATABASE_URL') ?? '';
  }

  /**
   * Returns the database URL with the role that owns the tables of a service: `TOCSIN_<SERVICE>_OWNER_DATABASE_URL`, or
   * `TOCSIN_OWNER_DATABASE_URL` with a schema named after the service; undefined if none is set.
   */
  ownerDatabaseUrl(service: string): string | undefined {
    const names = [`TOCSIN_${service.toUpperCase()}_OWNER_DATABASE_URL`, 'TOCSIN_OWNER_DATABASE_URL'];
    const isSet = names.some((name) => this.#raw(name) !== undefined);
    return isSet ? this.#databaseUrl(service, 'OWNER_DATABASE_URL') : undefined;
  }

  #databaseUrl(service: string, name: string): string | undefined {
    const own = this.#raw(`TOCSIN_${service.toUpperCase()}_${name}`);
    if (own !== undefined) return own;
    const shared = this.#read(
      `TOCSIN_${name}`,
      undefined,
      (text) => (URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol) ? text : undefined),
      'a postgres:// URL',
    );
    if (shared === undefined) return undefined;
    const url = new URL(shared);
    if (!url.searchParams.has('options')) url.searchParams.set('options', `-c search_path=${service}`);
    return url.href;
  }

  /**
   * Returns whether the service waits until another program has migrated its database (`TOCSIN_MIGRATIONS=wait`),
   * instead of migrating the database when it starts (`run`, the default).
   */
  expectMigrated(): boolean {
    return this.oneOf('TOCSIN_MIGRATIONS', ['run', 'wait'], 'run') === 'wait';
  }

  /**
   * Returns `TOCSIN_NATS_URL`: one or more URLs of the form `nats://user:password@host:port`. Credentials are required
   * unless TOCSIN_NATS_ALLOW_ANONYMOUS is `true`, because anyone who reaches a server without authentication can forge
   * every event and result.
   */
  natsUrl(): string {
    const allowAnonymous = this.boolean('TOCSIN_NATS_ALLOW_ANONYMOUS', false);
    return this.parsed('TOCSIN_NATS_URL', (text) => {
      for (const part of text.split(',')) {
        const url = URL.parse(part.trim());
        if (!url || !/^(nats|tls|wss?):$/.test(url.protocol))
          throw new Error('must be a nats://user:password@host:port');
        if (allowAnonymous || (url.username && url.password)) continue;
        throw new Error(
          'has no user and password (nats://user:password@host:port); set TOCSIN_NATS_ALLOW_ANONYMOUS=true for a server without authentication',
        );
      }
      return text;
    });
  }

  /**
   * Returns the configuration.
   * @throws ConfigError with all problems.
   */
  done<Config>(config: Config): Config {
    if (this.#problems.length > 0) throw new ConfigError([...new Set(this.#problems)].join('\n'));
    return config;
  }

  #raw(name: string): string | undefined {
    const text = this.#env[name];
    if (text !== undefined && text !== '') return text;
    const file = this.#env[`${name}_FILE`];
    if (file === undefined || file === '') return undefined;
    try {
      return readFileSync(file, 'utf8').trim();
    } catch (error) {
      this.#problems.push(
        `${name}_FILE: can't read ${file}: ${error instanceof Error ? error.message : String(error)}`,
      );
      return undefined;
    }
  }

  #read<Value>(
    name: string,
    fallback: Value | undefined,
    parse: (text: string) => Value | undefined,
    what: string,
  ): Value {
    const text = this.#raw(name);
    const value = text === undefined ? fallback : parse(text);
    if (value !== undefined) return value;
    this.#problems.push(text === undefined ? `${name}: is required (${what})` : `${name}: must be ${what}`);
    return undefined as Value; // never returned to the caller, because done() throws
  }
}
