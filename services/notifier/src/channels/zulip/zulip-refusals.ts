import type { Refusals } from '../refusals.ts';

export const REFUSALS: Refusals = {
  name: 'Zulip',
  other: 'it refuses this bot. PATCH config.bot_email and config.api_key',
  byCode: {
    401: 'the credentials are wrong. PATCH config.bot_email or config.api_key',
    403: 'the bot was deactivated. Activate it, or PATCH config.bot_email and config.api_key',
    404: 'there is no Zulip at this address. PATCH config.site_url',
    // Zulip codes: https://zulip.com/api/rest-error-handling
    STREAM_DOES_NOT_EXIST:
      'there is no such channel, or the bot is not subscribed to it. Subscribe it, or PATCH config.stream',
    INVALID_API_KEY: 'the credentials are wrong. PATCH config.bot_email or config.api_key',
    REALM_DEACTIVATED: 'the organization was deactivated. PATCH config.site_url with another one',
    USER_DEACTIVATED: 'the bot was deactivated. Activate it, or PATCH config.bot_email and config.api_key',
  },
};
