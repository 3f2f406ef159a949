import type { ChannelKind } from '../../app/ports.ts';
import type { Notice } from '../../domain/notice.ts';
import { checkTexts, textOf } from '../config-fields.ts';
import { jsonRequest, post } from '../post.ts';
import type { Provider } from '../provider.ts';
import { receiverOf } from '../refusals.ts';
import { EMOJI, headlineOf, linesOf, lookOf } from '../words.ts';
import { REFUSALS } from './telegram-refusals.ts';
import { outcomeOfTelegram } from './telegram-response.ts';

/** Telegram limits a message to 4096 characters in total: https://core.telegram.org/bots/api#sendmessage */
const MAX_HEADLINE = 600;
const MAX_VALUE = 1000;

const BOT_TOKEN = { pattern: /^\d+:[A-Za-z0-9_-]+$/, mustBe: 'a token of BotFather such as 123456:ABC-def' };
const CHAT_ID = { pattern: /^(-?\d{1,20}|@\w{1,64})$/, mustBe: 'a number such as -1001234567890, or @channelname' };

const THREAD_ID = { pattern: /^[1-9]\d{0,15}$/, mustBe: 'the number of a topic such as 42', optional: true };

const TELEGRAM = receiverOf(REFUSALS, outcomeOfTelegram);

/** Posts to a chat as a bot. */
export function telegram({ apiGuard, apiUrl }: Provider): ChannelKind {
  return {
    type: 'telegram',

    async check(config, errors) {
      // Ids are numbers in Telegram's API, so the configuration may contain a number.
      const { chat_id: id } = config;
      const chatId = typeof id === 'number' ? String(id) : id;
      const { message_thread_id: thread } = config;
      const threadId = typeof thread === 'number' ? String(thread) : thread;
      const rules = { bot_token: BOT_TOKEN, chat_id: CHAT_ID, message_thread_id: THREAD_ID };
      checkTexts({ ...config, chat_id: chatId, message_thread_id: threadId }, rules, errors);
    },

    async send(config, notice) {
      const { bot_token: token, chat_id: chatId } = config;
      const thread = textOf(config, 'message_thread_id');
      const message = telegramMessage(notice, String(chatId), thread === undefined ? undefined : Number(thread));
      const request = jsonRequest(`${apiUrl}/bot${token}/sendMessage`, message);
      return post(apiGuard, request, TELEGRAM);
    },
  };
}

/**
 * Returns a message in plain text, in which tenant text cannot become markup or a mention. `threadId` is a topic of a
 * forum.
 */
export function telegramMessage(notice: Notice, chatId: string, threadId?: number) {
  const text = `${EMOJI[lookOf(notice)]} ${headlineOf(notice, MAX_HEADLINE)}\n\n${linesOf(notice, MAX_VALUE)}`;
  return {
    chat_id: chatId,
    ...(threadId !== undefined && { message_thread_id: threadId }),
    text: withoutMentions(text),
    link_preview_options: { is_disabled: true },
  };
}

/** Inserts zero-width spaces, so that Telegram does not link `@name`, `/command` and `#tag`. URLs stay unchanged. */
function withoutMentions(text: string): string {
  return text.replaceAll(/(?<![\w/:.])([@#/])(?=\w)/g, '$1\u200b');
}
