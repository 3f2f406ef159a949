import { get, type JsonObject, objectsOf, textOf } from '../json.ts';
import { Report } from './report.ts';

/** A disruption or maintenance that is over, in the form that the API accepts. */
export interface PastDisruption {
  readonly title: string;
  readonly started_at: string;
  /** Fields of the request body except those that depend on the page. */
  readonly body: JsonObject;
  /** Names of the affected components. */
  readonly components: readonly string[];
  /** Status of the affected components. */
  readonly componentStatus: string;
}

export interface History {
  /** Disruptions, oldest first. */
  readonly disruptions: readonly PastDisruption[];
  readonly report: Report;
}

/** Statuses of updates, by their names in Statuspage. */
const INCIDENT_STATUSES: Readonly<Record<string, string>> = {
  investigating: 'investigating',
  identified: 'identified',
  monitoring: 'monitoring',
  resolved: 'resolved',
  postmortem: 'resolved',
};
const MAINTENANCE_STATUSES: Readonly<Record<string, string>> = {
  scheduled: 'scheduled',
  in_progress: 'in_progress',
  verifying: 'in_progress',
  completed: 'completed',
};
const COMPONENT_STATUSES: Readonly<Record<string, string>> = {
  minor: 'degraded_performance',
  major: 'partial_outage',
  critical: 'major_outage',
};
/** Text that an update contains in place of a component. */
const NO_COMPONENTS = 'No components were affected by this update.';
const OVER = ['resolved', 'postmortem', 'completed'];
const MAX_UPDATES = 200;
const MAX_TEXT = 10_000;
/** Maximum total size, in bytes, of the messages in a new timeline. */
const MAX_TEXTS = 64 * 1024;

/** Converts the incidents and maintenances in documents from a status page's API (v2). */
export function readHistory(content: unknown): History {
  const report = new Report();
  const currentNames = currentNamesIn(content);
  const convert = (kind: 'incident' | 'maintenance') => (item: JsonObject) =>
    convertOne(item, kind, { report, currentNames });
  const disruptions = [
    ...objectsOf(get(content, 'incidents')).flatMap(convert('incident')),
    ...objectsOf(get(content, 'scheduled_maintenances')).flatMap(convert('maintenance')),
  ];
  return { disruptions: disruptions.sort((a, b) => (a.started_at < b.started_at ? -1 : 1)), report };
}

interface Context {
  readonly report: Report;
  /** Current names of components, by id. */
  readonly currentNames: ReadonlyMap<string, string>;
}

function convertOne(
  item: JsonObject,
  kind: 'incident' | 'maintenance',
  { report, currentNames }: Context,
): PastDisruption[] {
  const title = [...textOf(item.name)].slice(0, 255).join('') || 'Untitled';
  if (!OVER.includes(textOf(item.status))) {
    report.skip(`"${title}"`, 'is not over');
    return [];
  }
  const isMaintenance = kind === 'maintenance';
  const statuses = isMaintenance ? MAINTENANCE_STATUSES : INCIDENT_STATUSES;
  const end = isMaintenance ? 'completed' : 'resolved';
  const entries = objectsOf(item.incident_updates)
    .toSorted((a, b) => compare(momentOf(a.created_at), momentOf(b.created_at)))
    .map((update) => ({
      status: statuses[textOf(update.status)] ?? end,
      message: textOf(update.body),
      posted_at: momentOf(update.display_at) ?? momentOf(update.created_at) ?? '',
    }))
    .filter(({ posted_at }) => posted_at !== '')
    // Several updates can have the same `posted_at`. The sort is stable, so they stay in the order of their creation.
    .toSorted((a, b) => compare(a.posted_at, b.posted_at));
  const times = entries.map(({ posted_at }) => posted_at);
  const begin = momentOf(isMaintenance ? item.scheduled_for : item.started_at) ?? momentOf(item.created_at) ?? times[0];
  const last = entries.at(-1);
  if (begin === undefined || last === undefined || last.status !== end) {
    report.skip(`"${title}"`, 'has no update that ends it');
    return [];
  }
  // Updates before the start of a maintenance are announcements. An incident starts at the earliest known time, which
  // can be the time of its first update.
  const started_at = isMaintenance ? begin : ([begin, ...times].sort()[0] ?? begin);
  const timeline = entries.map((entry) => (entry.posted_at < started_at ? { ...entry, status: 'scheduled' } : entry));
  const updates = bounded(timeline);
  if (JSON.stringify(updates) !== JSON.stringify(timeline)) report.change(`"${title}"`, 'the timeline is shortened');
  const impact = ['minor', 'major', 'critical'].includes(textOf(item.impact)) ? textOf(item.impact) : 'minor';
  return [
    {
      title,
      started_at,
      body: { title, type: isMaintenance ? 'maintenance' : 'disruption', impact, started_at, updates, notify: false },
      components: namesOf(item, currentNames),
      componentStatus: isMaintenance ? 'under_maintenance' : (COMPONENT_STATUSES[impact] ?? ''),
    },
  ];
}

/**
 * Returns the current names of all components, by id. The name of a component in a group is `Group - Component`. For a
 * component that only an incident mentions, returns the name in that incident.
 */
function currentNamesIn(content: unknown): Map<string, string> {
  const components = objectsOf(get(content, 'components'));
  const groups = new Map(components.filter(({ group }) => group === true).map(({ id, name }) => [id, textOf(name)]));
  const mentioned = ['incidents', 'scheduled_maintenances'].flatMap((name) =>
    objectsOf(get(content, name)).flatMap((item) => objectsOf(item.components)),
  );
  return new Map(
    [...mentioned, ...components].map(({ id, name, group_id }) => {
      const group = groups.get(group_id ?? null);
      return [textOf(id), group ? `${group} - ${textOf(name)}` : textOf(name)];
    }),
  );
}

/**
 * Returns the names of the components in an incident and its updates. An update contains the name that a component had
 * at the time, so components are identified by their ids.
 */
function namesOf(item: JsonObject, currentNames: ReadonlyMap<string, string>): string[] {
  const inUpdates = objectsOf(item.incident_updates).flatMap((update) => objectsOf(update.affected_components));
  const names = [...objectsOf(item.components), ...inUpdates].map(
    ({ id, code, name }) => currentNames.get(textOf(id) || textOf(code)) ?? textOf(name),
  );
  return [...new Set(names.filter((name) => name !== '' && name !== NO_COMPONENTS))];
}

function compare(a = '', b = ''): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Shortens a timeline to the API's limits. The last entry is always included, because it ends the disruption. */
function bounded<Entry extends { readonly message: string }>(entries: readonly Entry[]): Entry[] {
  const kept = entries.length > MAX_UPDATES ? [...entries.slice(0, MAX_UPDATES - 1), ...entries.slice(-1)] : entries;
  let left = MAX_TEXTS;
  return kept.map((entry) => {
    const message = [...entry.message].slice(0, MAX_TEXT).join('');
    const size = Buffer.byteLength(message);
    // The API replaces an empty message with a default text.
    if (size > left) return { ...entry, message: '' };
    left -= size;
    return { ...entry, message };
  });
}

function momentOf(value: unknown): string | undefined {
  const time = new Date(textOf(value));
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
