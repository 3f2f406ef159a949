/** Maximum rate of messages per channel, according to the provider's documentation. */
export interface Rate {
  /** Minimum milliseconds between two messages. */
  readonly intervalMs: number;
  /** Milliseconds to wait after a 429 response that does not say how long to wait. */
  readonly pauseMs: number;
}

const UNLIMITED: Rate = { intervalMs: 0, pauseMs: 60_000 };

const RATES: Readonly<Record<string, Rate>> = {
  // Limit: one message per second per channel, https://docs.slack.dev/apis/web-api/rate-limits
  slack: { intervalMs: 1_000, pauseMs: 30_000 },
  // Limit: five messages per two seconds per webhook, https://discord.com/developers/docs/topics/rate-limits
  discord: { intervalMs: 400, pauseMs: 5_000 },
  // Limit: 4 messages per second and 60 per 30 s,
  // https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors
  teams: { intervalMs: 500, pauseMs: 30_000 },
  // Limit: 20 messages per minute per group, https://core.telegram.org/bots/faq
  telegram: { intervalMs: 3_000, pauseMs: 60_000 },
  // Limit: 60 messages at once, then one per five seconds per IP address, https://docs.ntfy.sh/config/#rate-limiting
  ntfy: { intervalMs: 0, pauseMs: 60_000 },
  // PagerDuty recommends "a backoff of a few minutes": https://developer.pagerduty.com/docs/events-api-v2-overview
  pagerduty: { intervalMs: 0, pauseMs: 180_000 },
  // Limit: one message per second per space, https://developers.google.com/workspace/chat/limits
  google_chat: { intervalMs: 1_000, pauseMs: 60_000 },
  // Limit: 200 requests per minute per user, https://zulip.com/api/rest-error-handling
  zulip: { intervalMs: 300, pauseMs: 60_000 },
};

export function rateOf(channelType: string): Rate {
  return RATES[channelType] ?? UNLIMITED;
}
