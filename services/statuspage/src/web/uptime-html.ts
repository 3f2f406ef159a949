import type { ComponentStatus } from '@tocsin/enums';
import { type Html, html } from '@tocsin/html';
import type { DayBar } from '../domain/day-bars.ts';
import { hasCounted, uptimeOf } from '../domain/day-bars.ts';
import { isKnownStatus, type ShownStatus } from '../domain/shown-status.ts';
import type { Texts } from './messages/texts.ts';
import { classOf } from './status-look.ts';

/** Number of days that are shown on wide screens. */
export const WIDE_DAYS = 90;

/** Number of days that are shown on narrow screens. */
export const NARROW_DAYS = 30;

const MINUTE_MS = 60_000;

/** Letter of each status in the compact data for the script. */
export const DAY_CODES: Readonly<Record<ShownStatus, string>> = {
  operational: 'o',
  under_maintenance: 'u',
  degraded_performance: 'd',
  partial_outage: 'p',
  major_outage: 'm',
  no_data: 'n',
  not_monitored: 'x',
};

/**
 * Renders the days of a component as one shape per status, with the uptime below. On a narrow screen, only the last 30
 * days are visible. Their uptime is in `data-narrow`, and their text alternative in `data-narrow-label`.
 *
 * @param isTabStop Whether the chart can be focused. If false, keyboard users read the days by focusing the link to the
 * component.
 */
export function uptimeHtml(bars: readonly DayBar[], texts: Texts, isTabStop: boolean): Html {
  const runs = Map.groupBy(runsOf(bars), ({ status }) => classOf(status));
  const paths = [...runs].map(([name, days]) => {
    const shape = days.map(({ from, length }) => `M${from} 0h${length}v1h-${length}z`).join('');
    return html`<path class="${name}" d="${shape}"/>`;
  });
  const narrow = bars.slice(-NARROW_DAYS);
  const daysAgo = ({ length }: { readonly length: number }) => texts.text('uptime.days_ago', { count: length });
  return html`
      <div class="bars"><svg role="img"${isTabStop ? html` tabindex="0"` : undefined} aria-label="${summaryOf(bars, texts)}" data-narrow-label="${summaryOf(narrow, texts)}" viewBox="0 0 ${bars.length} 1" preserveAspectRatio="none" data-days="${dayData(bars)}">${paths}</svg></div>
      <p class="scale muted" aria-hidden="true"><span data-narrow="${daysAgo(narrow)}">${daysAgo(bars)}</span><span data-narrow="${percentOf(narrow, texts)}">${percentOf(bars, texts)}</span><span>${texts.text('uptime.today')}</span></p>`;
}

/** Renders the explanation of how the uptime is calculated. */
export function uptimeRule(texts: Texts): Html {
  return html`
      <details class="rule muted">
        <summary>${texts.text('uptime.rule_heading')}</summary>
        <p>${texts.text('uptime.rule')}</p>
      </details>`;
}

interface Run {
  readonly status: ShownStatus;
  readonly from: number;
  readonly length: number;
}

/** Joins consecutive days with the same status. */
function runsOf(bars: readonly DayBar[]): Run[] {
  const runs: Run[] = [];
  for (const [from, { status }] of bars.entries()) {
    const last = runs.at(-1);
    if (last?.status === status) runs[runs.length - 1] = { ...last, length: last.length + 1 };
    else runs.push({ status, from, length: 1 });
  }
  return runs;
}

function percentOf(bars: readonly DayBar[], texts: Texts): string {
  const uptime = uptimeOf(bars);
  if (uptime !== undefined) return texts.percent(uptime);
  return hasCounted(bars) ? '' : texts.text('status.no_data');
}

function summaryOf(bars: readonly DayBar[], texts: Texts): string {
  const uptime = uptimeOf(bars);
  if (!hasCounted(bars)) return texts.text('uptime.no_data', { count: bars.length });
  const disrupted = bars.filter(({ status }) => isKnownStatus(status) && isDisruption(status)).length;
  const disruptions =
    disrupted === 0 ? texts.text('uptime.undisrupted') : texts.text('uptime.disrupted', { count: disrupted });
  if (uptime === undefined) return disruptions;
  return texts.text('uptime.summary', {
    uptime: texts.percent(uptime),
    period: texts.text('uptime.period', { count: bars.length }),
    disruptions,
  });
}

function isDisruption(status: ComponentStatus): boolean {
  return status !== 'operational' && status !== 'under_maintenance';
}

/**
 * Returns the days that are not completely operational, in a compact format for the script. For example, `76:p12d30` is
 * 12 minutes of partial outage and 30 of degraded performance on day 76, `80:on60` is an hour without data on an
 * otherwise operational day, and `0-40:n` are days without data.
 */
function dayData(bars: readonly DayBar[]): string {
  const items: string[] = [];
  for (const { status, from, length } of runsOf(bars)) {
    if (!isKnownStatus(status)) {
      items.push(`${length === 1 ? from : `${from}-${from + length - 1}`}:${DAY_CODES[status]}`);
      continue;
    }
    for (const [offset, { times }] of bars.slice(from, from + length).entries()) {
      const shown = [...times].filter(([one, ms]) => one !== 'operational' && (isKnownStatus(one) || ms >= MINUTE_MS));
      if (shown.length === 0) continue;
      // Known statuses come first.
      shown.sort(([one], [other]) => Number(isKnownStatus(other)) - Number(isKnownStatus(one)));
      const minutes = shown.map(([one, ms]) => `${DAY_CODES[one]}${Math.max(1, Math.round(ms / MINUTE_MS))}`);
      items.push(`${from + offset}:${status === 'operational' ? DAY_CODES.operational : ''}${minutes.join('')}`);
    }
  }
  return items.join(' ');
}
