/** Appearance of a status. All statuses that mean unknown look the same. */
export type Look =
  | 'operational'
  | 'under_maintenance'
  | 'degraded_performance'
  | 'partial_outage'
  | 'major_outage'
  | 'unknown';

interface StatusColors {
  /**
   * Color of text on light backgrounds, and of the background behind white text in banners, badges and previews. The
   * contrast ratio is at least 4.5 in both cases.
   */
  readonly light: string;
  /** Color of text on dark backgrounds, with a contrast ratio of at least 4.5. */
  readonly dark: string;
  /** Colors of the bars of days on light and on dark backgrounds. */
  readonly lightBar: string;
  readonly darkBar: string;
  /** Color of the icon in browser tabs, which must be visible on light and on dark backgrounds. */
  readonly tab: string;
}

/** Colors of all statuses. */
export const STATUS_COLORS: Readonly<Record<Look, StatusColors>> = {
  operational: { light: '#15803d', dark: '#4ade80', lightBar: '#2e9e5b', darkBar: '#2f9e58', tab: '#22a35a' },
  under_maintenance: { light: '#1d4ed8', dark: '#7cb0ff', lightBar: '#3b74e6', darkBar: '#4d8df0', tab: '#3b82f6' },
  degraded_performance: { light: '#945a06', dark: '#facc15', lightBar: '#d39b06', darkBar: '#e0b00f', tab: '#d99a06' },
  partial_outage: { light: '#b93c0b', dark: '#fb923c', lightBar: '#e8630c', darkBar: '#f0741f', tab: '#ea6a12' },
  major_outage: { light: '#b91c1c', dark: '#f87171', lightBar: '#cf2222', darkBar: '#e5484d', tab: '#dc2626' },
  unknown: { light: '#596270', dark: '#9da6b4', lightBar: '#c7ccd4', darkBar: '#3d4552', tab: '#7b8594' },
};

export const LOOKS = Object.keys(STATUS_COLORS) as Look[];
