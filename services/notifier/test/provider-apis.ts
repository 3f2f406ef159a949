import type { ApiUrls } from '../src/channels/kinds.ts';

/** Returns API base URLs that all begin with the given URL. */
export function apisAt(url: string): ApiUrls {
  return {
    slack: url,
    discord: url,
    pagerduty: url,
    pagerdutyEu: `${url}/eu`,
    telegram: url,
    pushover: url,
    ilert: url,
    incidentIo: url,
    twilio: url,
    googleChat: url,
    opsgenie: url,
    opsgenieEu: `${url}/eu`,
    atlassian: url,
    sns: `${url}/sns`,
  };
}
