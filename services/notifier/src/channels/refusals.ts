import type { ChannelType } from '@tocsin/enums';
import type { FetchResponse } from '@tocsin/netguard';
import type { Outcome } from '../domain/outcome.ts';

/** Types of channels that alerts are posted to. Slack has different errors for webhooks and for bots. */
type PostedType = Exclude<ChannelType, 'email'> | 'slack_bot';

/** Advice about a receiver's responses: what happened, and what the reader can do. */
interface Refusals {
  /** Name of the receiver in error messages. */
  readonly name: string;
  /** Advice about a final status that `byCode` does not contain. */
  readonly other: string;
  /** Advice by status, or by the error code in the body. */
  readonly byCode?: Readonly<Record<string, string>>;
}

const CHECK_URL = 'Check that it takes alerts at this address, and PATCH config.url';
const NEW_WEBHOOK = 'Create a new one and PATCH config.webhook_url';
const DELETED_WEBHOOK = `the webhook was deleted. ${NEW_WEBHOOK}`;
const SLACK_BOT = 'Install the app again and PATCH config.bot_token';
const SLACK_RIGHTS = 'the app may not post there. Let it post there, or PATCH config.channel_id';
const INTEGRATION_KEY =
  'it accepts no alert with this key. Copy the key of an API integration that may create alerts, and PATCH config.api_key';

/**
 * Advice about final responses by channel type, shown in `broken_reason`. Each text says what happened and then what to
 * do.
 */
export const REFUSALS: Readonly<Record<PostedType, Refusals>> = {
  webhook: {
    name: 'the receiver',
    other: `it refuses alerts. ${CHECK_URL}`,
    byCode: {
      401: 'it requires other credentials. PATCH config.headers or config.url',
      403: 'it does not allow this request. PATCH config.headers or config.url',
      404: `there is nothing at this address. ${CHECK_URL}`,
      410: `it takes no alerts any more. ${CHECK_URL}`,
    },
  },
  slack: {
    name: 'Slack',
    other: `it refuses this webhook. ${NEW_WEBHOOK}`,
    byCode: {
      403: `the app may not post there any more. ${NEW_WEBHOOK}`,
      404: DELETED_WEBHOOK,
      410: 'the channel is archived. Create a webhook for another channel and PATCH config.webhook_url',
      // Webhook codes: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
      action_prohibited: `an administrator restricted posting there. ${NEW_WEBHOOK}`,
      channel_is_archived: 'the channel is archived. Create a webhook for another channel and PATCH config.webhook_url',
      invalid_token: `the URL is not valid any more. ${NEW_WEBHOOK}`,
      no_active_hooks: `the webhook is disabled. ${NEW_WEBHOOK}`,
      no_service: DELETED_WEBHOOK,
      no_service_id: DELETED_WEBHOOK,
      no_team: `the workspace does not exist. ${NEW_WEBHOOK}`,
      posting_to_general_channel_denied: `members may not post to that channel. ${NEW_WEBHOOK}`,
      team_disabled: `the workspace is disabled. ${NEW_WEBHOOK}`,
      channel_not_found: `the channel does not exist. ${NEW_WEBHOOK}`,
      user_not_found: `the user of the webhook does not exist. ${NEW_WEBHOOK}`,
    },
  },
  slack_bot: {
    name: 'Slack',
    other: `it refuses this bot. ${SLACK_BOT}`,
    byCode: {
      // API call codes: https://docs.slack.dev/reference/methods/chat.postMessage
      access_denied: SLACK_RIGHTS,
      account_inactive: `the bot was deleted. ${SLACK_BOT}`,
      channel_not_found: 'it does not find the channel. Invite the bot if it is private, or PATCH config.channel_id',
      invalid_auth: 'the token is invalid. PATCH config.bot_token',
      is_archived: 'the channel is archived. PATCH config.channel_id',
      missing_scope: 'the app lacks a scope. Give it chat:write, install it again, and PATCH config.bot_token',
      no_permission: SLACK_RIGHTS,
      not_authed: 'it got no token. PATCH config.bot_token',
      not_in_channel: 'the bot is not in the channel. Invite it, and test the channel',
      org_login_required: `the workspace was moved. ${SLACK_BOT}`,
      restricted_action: SLACK_RIGHTS,
      team_access_not_granted: `the app may not use that workspace. ${SLACK_BOT}`,
      token_expired: `the token has expired. ${SLACK_BOT}`,
      token_revoked: `the token was revoked. ${SLACK_BOT}`,
    },
  },
  discord: {
    name: 'Discord',
    other: `it refuses this webhook. ${NEW_WEBHOOK}`,
    byCode: {
      401: "the webhook's token is wrong. Copy its URL again and PATCH config.webhook_url",
      404: DELETED_WEBHOOK,
    },
  },
  teams: {
    name: 'Teams',
    other: 'it refuses this webhook. Create a new workflow and PATCH config.webhook_url',
    byCode: {
      401: 'not everyone may trigger the workflow. Allow it, copy its URL again, and PATCH config.webhook_url',
      403: 'the workflow or connector is switched off. Switch it on, and test the channel',
      404: `the workflow or connector was deleted. ${NEW_WEBHOOK}`,
    },
  },
  mattermost: {
    name: 'Mattermost',
    other: `it refuses this webhook. ${NEW_WEBHOOK}`,
    byCode: {
      invalid_webhook: DELETED_WEBHOOK,
      403: 'the webhook is locked to its own channel. PATCH the config without channel',
      404: 'there is no such channel. PATCH config.webhook_url or config.channel',
      501: 'incoming webhooks are disabled on that server. Enable them, and test the channel',
    },
  },
  telegram: {
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
  },
  ntfy: {
    name: 'ntfy',
    other: 'it refuses messages to this topic. PATCH config.topic or config.server_url',
    byCode: {
      401: 'the token is wrong. PATCH config.access_token',
      403: 'the topic is protected. PATCH config.access_token with one that may write to it',
      404: 'there is no ntfy server at this address. PATCH config.server_url',
    },
  },
  pushover: {
    name: 'Pushover',
    other: 'it refuses this application. PATCH config.api_token',
    byCode: {
      api_token: 'it does not know api_token. Copy it again and PATCH config.api_token',
      user_key: 'it does not know user_key. Copy it again and PATCH config.user_key',
      'api_token and user_key': 'it does not know api_token and user_key. Copy both again and PATCH the config',
    },
  },
  pagerduty: {
    name: 'PagerDuty',
    other: 'it refuses this key. PATCH config.integration_key',
    byCode: {
      invalid_key:
        'it does not know the key. Copy it from an Events API v2 integration and PATCH config.integration_key',
    },
  },
  ilert: {
    name: 'ilert',
    other: 'it does not know the key. Copy the one of an alert source of type API and PATCH config.api_key',
  },
  incident_io: {
    name: 'incident.io',
    other: 'the token is wrong. Copy the one of the alert source and PATCH config.api_token',
    byCode: { 404: 'the alert source was deleted. Create a new one and PATCH config.alert_source_url' },
  },
  grafana_irm: {
    name: 'Grafana IRM',
    other: 'the integration was deleted. Create a new one and PATCH config.integration_url',
  },
  sms: {
    name: 'Twilio',
    other: 'it refuses messages of this account. Check its console, and PATCH the config',
    byCode: {
      401: 'the credentials are wrong. PATCH config.account_sid or config.auth_token',
      403: 'the account may not send. Check its console, and test the channel',
      404: 'there is no such account. PATCH config.account_sid',
      // Twilio codes: https://www.twilio.com/docs/api/errors
      21211: 'the receiver is not a valid number. PATCH config.to',
      21212: 'the sender is not a valid number. PATCH config.from',
      21408: 'the account may not send to that country. Allow it in the console, and test the channel',
      21606: 'the sender is not a number of the account that can send messages. PATCH config.from',
      21608: 'a trial account sends to verified numbers only. Verify the number, or PATCH config.to',
      21610: 'the receiver replied STOP. Send START from that phone, and test the channel',
      21614: 'the receiver is not a mobile phone. PATCH config.to',
    },
  },
  google_chat: {
    name: 'Google Chat',
    other: `the space or its webhook was deleted. ${NEW_WEBHOOK}`,
    byCode: {
      401: DELETED_WEBHOOK,
      403: 'apps may not write to the space. Ask its manager, or PATCH config.webhook_url with one of another space',
    },
  },
  matrix: {
    name: 'the Matrix server',
    other: 'it refuses this user. PATCH config.access_token',
    byCode: {
      401: 'the token was revoked. PATCH config.access_token',
      403: 'the user may not write to the room. Invite it and let it join, or PATCH config.room_id',
      404: 'there is no Matrix server at this address. PATCH config.homeserver_url',
    },
  },
  zulip: {
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
  },
  opsgenie: { name: 'Opsgenie', other: INTEGRATION_KEY },
  jira_service_management: { name: 'Jira Service Management', other: INTEGRATION_KEY },
  sns: {
    name: 'Amazon SNS',
    other: 'it refuses this key. PATCH config.access_key_id and config.secret_access_key',
    byCode: {
      // Amazon SNS codes: https://docs.aws.amazon.com/sns/latest/api/CommonErrors.html and API_Publish.html
      AuthorizationError: 'the key may not publish. Allow sns:Publish on the topic, and test the channel',
      InvalidClientTokenId: 'there is no such key. PATCH config.access_key_id',
      SignatureDoesNotMatch: 'the secret is wrong. PATCH config.secret_access_key',
      NotFound: 'there is no such topic. PATCH config.topic_arn',
      OptInRequired: 'the account may not use SNS in that region. PATCH config.topic_arn',
      KMSAccessDenied:
        "the key may not use the topic's encryption key. Allow kms:GenerateDataKey and kms:Decrypt, and test the channel",
      KMSDisabled: "the topic's encryption key is disabled. Enable it, and test the channel",
    },
  },
  apprise: {
    name: 'the Apprise server',
    other: 'it refuses this request. PATCH config.server_url',
    byCode: {
      204: 'it has no services for that. PATCH config.key, config.tag or config.urls',
      404: 'there is no Apprise API at this address. PATCH config.server_url',
    },
  },
};

/** Receiver of HTTP requests, with a function that interprets its responses. */
export interface Receiver {
  /** Name in error messages. */
  readonly name: string;
  /** Returns the advice that the error shows for a status; undefined if there is none. */
  readonly adviceOn?: (status: number, isFinal: boolean) => string | undefined;
  /** Returns the outcome of a response of any status; undefined if the outcome depends only on the status. */
  readonly interpret?: (response: FetchResponse) => Outcome | undefined;
}

/** Returns the receiver for a channel type. */
export function receiverOf(type: PostedType, interpret?: Receiver['interpret']): Receiver {
  const { name, other } = REFUSALS[type];
  return {
    name,
    adviceOn: (status, isFinal) => adviceOn(type, String(status)) ?? (isFinal ? other : undefined),
    ...(interpret && { interpret }),
  };
}

/** Returns a channel type's advice about a status or error code; undefined if `byCode` does not contain it. */
function adviceOn(type: PostedType, code: string): string | undefined {
  const { byCode = {} } = REFUSALS[type];
  return Object.hasOwn(byCode, code) ? byCode[code] : undefined;
}

/**
 * Returns the refusal for an error code in the body of a response; undefined if `byCode` does not contain the code. If
 * `shown` is given, the error contains it instead of the code.
 */
export function refusalBy(
  type: PostedType,
  code: unknown,
  { httpStatus, shown = String(code) }: { httpStatus: number; shown?: string },
): Outcome | undefined {
  const advice = adviceOn(type, String(code));
  if (advice === undefined) return undefined;
  return { kind: 'refused', error: `${REFUSALS[type].name} returned ${shown}: ${advice}`, httpStatus };
}
