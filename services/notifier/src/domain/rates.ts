/** Rate at which a provider accepts messages for one channel, as it documents it. */
export interface Rate {
  /** Minimum milliseconds between two messages. */
  readonly intervalMs: number;
  /** Milliseconds to wait after a 429 without a time. */
  readonly pauseMs: number;
}

const UNLIMITED: Rate = { intervalMs: 0, pauseMs: 60_000 };

const RATES: Readonly<Record<string, Rate>> = {
  // One message per second and channel: https://docs.slack.dev/apis/web-api/rate-limits
  slack: { intervalMs: 1_000, pauseMs: 30_000 },
  // Five per two seconds and webhook: https://discord.com/developers/docs/topics/rate-limits
  discord: { intervalMs: 400, pauseMs: 5_000 },
  // Four per second, 60 in 30 seconds: https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors
  teams: { intervalMs: 500, pauseMs: 30_000 },
  // Twenty per minute and group: https://core.telegram.org/bots/faq
  telegram: { intervalMs: 3_000, pauseMs: 60_000 },
  // Sixty at once, then one per five seconds and address: https://docs.ntfy.sh/config/#rate-limiting
  ntfy: { intervalMs: 0, pauseMs: 60_000 },
  // "A backoff of a few minutes": https://developer.pagerduty.com/docs/events-api-v2-overview
  pagerduty: { intervalMs: 0, pauseMs: 180_000 },
  // One message per second and space: https://developers.google.com/workspace/chat/limits
  google_chat: { intervalMs: 1_000, pauseMs: 60_000 },
  // 200 requests per minute and user: https://zulip.com/api/rest-error-handling
  zulip: { intervalMs: 300, pauseMs: 60_000 },
};

export function rateOf(channelType: string): Rate {
  return RATES[channelType] ?? UNLIMITED;
}
