import { DELETED_WEBHOOK, NEW_WEBHOOK, type Refusals } from '../refusals.ts';

const NEW_TOKEN = 'Install the app again and PATCH config.bot_token';
const RIGHTS = 'the app may not post there. Let it post there, or PATCH config.channel_id';

export const WEBHOOK_REFUSALS: Refusals = {
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
};

export const BOT_REFUSALS: Refusals = {
  name: 'Slack',
  other: `it refuses this bot. ${NEW_TOKEN}`,
  byCode: {
    // API call codes: https://docs.slack.dev/reference/methods/chat.postMessage
    access_denied: RIGHTS,
    account_inactive: `the bot was deleted. ${NEW_TOKEN}`,
    channel_not_found: 'it does not find the channel. Invite the bot if it is private, or PATCH config.channel_id',
    invalid_auth: 'the token is invalid. PATCH config.bot_token',
    is_archived: 'the channel is archived. PATCH config.channel_id',
    missing_scope: 'the app lacks a scope. Give it chat:write, install it again, and PATCH config.bot_token',
    no_permission: RIGHTS,
    not_authed: 'it got no token. PATCH config.bot_token',
    not_in_channel: 'the bot is not in the channel. Invite it, and test the channel',
    org_login_required: `the workspace was moved. ${NEW_TOKEN}`,
    restricted_action: RIGHTS,
    team_access_not_granted: `the app may not use that workspace. ${NEW_TOKEN}`,
    token_expired: `the token has expired. ${NEW_TOKEN}`,
    token_revoked: `the token was revoked. ${NEW_TOKEN}`,
  },
};
