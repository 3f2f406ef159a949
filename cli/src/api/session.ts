import type { Context } from '../context.ts';
import { CliError, EXIT } from '../errors.ts';
import { type Credential, changeSettings, readSettings } from '../settings.ts';
import { type Client, createClient, type TokenSource } from './client.ts';
import { findEndpoints, refreshTokens } from './oauth.ts';
import { baseUrlOf } from './url.ts';

/** Milliseconds before its expiry at which an access token is renewed. */
const EARLY_MS = 60_000;

/** Returns the URL of the installation: from the option, from the environment, or from the last sign-in. */
export async function findBaseUrl(option: string | undefined, { env }: Context): Promise<string> {
  const url = option || env.TOCSIN_URL || (await readSettings(env)).current;
  if (url) return baseUrlOf(url);
  throw new CliError(EXIT.signedOut, 'No installation is known. Sign in with: tocsin login --url https://…');
}

/** Returns a client for the installation. Throws an error if there is no credential. */
export async function openClient(urlOption: string | undefined, context: Context): Promise<Client> {
  const baseUrl = await findBaseUrl(urlOption, context);
  return createClient(baseUrl, await findTokens(baseUrl, context), context);
}

/** Returns a client that uses an API key. */
export function clientWithKey(baseUrl: string, apiKey: string, context: Context): Client {
  return createClient(baseUrl, fixed(apiKey), context);
}

async function findTokens(baseUrl: string, context: Context): Promise<TokenSource> {
  if (context.env.TOCSIN_API_KEY) return fixed(context.env.TOCSIN_API_KEY);
  const credential = (await readSettings(context.env)).credentials[baseUrl];
  if (credential?.kind === 'api_key') return fixed(credential.apiKey);
  if (credential?.kind === 'oauth') return renewing(baseUrl, credential, context);
  throw new CliError(
    EXIT.signedOut,
    `You are not signed in to ${baseUrl}. Run: tocsin login --url ${baseUrl}, or set TOCSIN_API_KEY.`,
  );
}

function fixed(token: string): TokenSource {
  return { token: async () => token, renewed: async () => undefined };
}

/**
 * Returns a token source that renews its access token shortly before it expires, or when the API refuses it. A refresh
 * token can be used only once, so the requests of this process share one renewal, and only one process at a time renews
 * the token.
 */
function renewing(baseUrl: string, stored: Extract<Credential, { kind: 'oauth' }>, context: Context): TokenSource {
  let current = stored;
  let renewal: Promise<string | undefined> | undefined;

  async function renew(refused: string): Promise<string | undefined> {
    const endpoints = await findEndpoints(baseUrl, context);
    await changeSettings(context.env, async (settings) => {
      const latest = settings.credentials[baseUrl];
      if (latest?.kind !== 'oauth') return settings;
      // Another process has renewed the token in the meantime.
      if (latest.accessToken !== refused) {
        current = latest;
        return settings;
      }
      const tokens = await refreshTokens(endpoints, latest.refreshToken, context);
      if (!tokens) return settings;
      current = tokens;
      return { ...settings, credentials: { ...settings.credentials, [baseUrl]: tokens } };
    });
    return current.accessToken === refused ? undefined : current.accessToken;
  }

  async function renewed(refused: string): Promise<string | undefined> {
    if (current.accessToken !== refused) return current.accessToken;
    renewal ??= renew(refused).finally(() => {
      renewal = undefined;
    });
    return renewal;
  }

  return {
    renewed,
    async token() {
      if (context.now() < current.expiresAt - EARLY_MS) return current.accessToken;
      return (await renewed(current.accessToken)) ?? current.accessToken;
    },
  };
}
