import type { Refusals } from '../refusals.ts';

export const REFUSALS: Refusals = {
  name: 'Telegram',
  other: 'it refuses this bot. PATCH config.bot_token',
  byCode: {
    401: 'the token was revoked. PATCH config.bot_token',
    403: 'the bot was blocked or removed from the chat. Add it again, and test the channel',
    404: 'there is no such bot. PATCH config.bot_token',
    chat_not_found: 'there is no such chat, or the bot is no member of it. Add it, or PATCH config.chat_id',
    supergroup: 'the group became a supergroup, which has another id. PATCH config.chat_id',
    no_rights: 'the bot may not write there. Let it write, and test the channel',
  },
};
