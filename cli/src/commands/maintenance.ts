import type { Client } from '../api/client.ts';
import { type Call, type Command, JSON_OPTION } from '../command.ts';
import { durationMs } from '../duration.ts';
import { CliError, EXIT, UsageError } from '../errors.ts';
import { type JsonObject, textOf } from '../json.ts';
import { type Component, componentsOf, DISRUPTIONS, findId, PAGES } from '../resource.ts';
import { show } from './resources.ts';

const start: Command = {
  name: 'maintenance start',
  usage: 'TITLE',
  args: [1, 1],
  summary: 'Start or plan a maintenance',
  details:
    'While it is in progress, monitors of its components raise no alerts. It ends after --for or at --until, or with\n"maintenance end". Prints the id.',
  options: {
    page: { type: 'string', value: 'SLUG', help: 'Status page to publish to' },
    component: {
      type: 'string',
      multiple: true,
      value: 'NAME',
      help: 'Component of the page, or GROUP/NAME; can be repeated',
    },
    all: { type: 'boolean', help: 'All components of the page' },
    at: { type: 'string', value: 'TIME', help: 'Start, such as 2026-11-20T22:00:00Z; default: now' },
    for: { type: 'string', value: 'TIME', help: 'How long it takes, such as 90m' },
    until: { type: 'string', value: 'TIME', help: 'End, such as 2026-11-20T23:30:00Z' },
    message: { type: 'string', short: 'm', value: 'TEXT', help: 'First message of the timeline' },
    json: JSON_OPTION,
  },
  examples: [
    'tocsin maintenance start "New database" --page acme --component Shop --for 30m',
    'ID=$(tocsin maintenance start "Deployment" --page acme --all)',
  ],
  async run(call) {
    const client = await call.client();
    const { context } = call;
    const startsAt = timeOf(call, 'at') ?? new Date(context.now());
    const length = call.text('for');
    if (length !== undefined && call.text('until') !== undefined) throw new UsageError('Use --for or --until.');
    const endsAt = length === undefined ? timeOf(call, 'until') : new Date(startsAt.getTime() + durationMs(length));
    const message = call.text('message');
    const disruption = await client.data('POST', DISRUPTIONS.path, {
      body: {
        title: call.args[0],
        type: 'maintenance',
        started_at: startsAt.toISOString(),
        ...(endsAt && { ends_at: endsAt.toISOString() }),
        ...(message !== undefined && { message }),
        ...(await publicationOf(client, call)),
      },
    });
    if (call.has('json')) show(call, disruption);
    else context.stdout.write(`${textOf(disruption.id)}\n`);
    return undefined;
  },
};

const end: Command = {
  name: 'maintenance end',
  usage: 'TITLE|ID',
  args: [1, 1],
  summary: 'End a maintenance',
  options: {
    message: { type: 'string', short: 'm', value: 'TEXT', help: 'Last message of the timeline' },
    json: JSON_OPTION,
  },
  examples: ['tocsin maintenance end "$ID"', 'tocsin maintenance end "New database" --message "All is done."'],
  async run(call) {
    const client = await call.client();
    const id = await findOpen(client, call.args[0] ?? '');
    const message = call.text('message');
    const body = { status: 'completed', ...(message !== undefined && { message }) };
    const disruption = await client.data('PATCH', `${DISRUPTIONS.path}/${id}`, { body });
    if (call.has('json')) show(call, disruption);
    return undefined;
  },
};

export const maintenanceCommands: readonly Command[] = [start, end];

async function publicationOf(client: Client, call: Call): Promise<JsonObject> {
  const slug = call.text('page');
  const names = call.texts('component');
  if (slug === undefined) {
    if (names.length > 0 || call.has('all')) throw new UsageError('Which page? Add --page SLUG');
    return {};
  }
  if (names.length > 0 === call.has('all')) throw new UsageError('Add --component NAME for some components, or --all');
  const page = await client.data('GET', `${PAGES.path}/${await findId(client, PAGES, slug)}`);
  const components = componentsOf(page);
  const ids = call.has('all') ? components.map(({ id }) => id) : names.map((name) => idOf(name, components, slug));
  return {
    status_page_id: textOf(page.id),
    components: ids.map((id) => ({ id, status: 'under_maintenance' })),
  };
}

function idOf(text: string, components: readonly Component[], slug: string): string {
  const exact = components.filter(({ fullName }) => fullName === text);
  const found = exact.length > 0 ? exact : components.filter(({ name }) => name === text);
  const [only] = found;
  if (only && found.length === 1) return only.id;
  const names = (only ? found : components).map(({ fullName }) => fullName).join(', ');
  throw new CliError(
    EXIT.refused,
    only
      ? `Several components of ${slug} have the name "${text}": ${names}.`
      : `The page ${slug} has no component "${text}". It has: ${names || 'none'}.`,
  );
}

/**
 * Returns the id of the maintenance whose title or id is `text`. If several have this title, uses the one that has not
 * ended.
 */
async function findOpen(client: Client, text: string): Promise<string> {
  const open = (await client.list(`${DISRUPTIONS.path}?type=maintenance`)).filter(
    ({ title, resolved_at }) => title === text && resolved_at === null,
  );
  const [only] = open;
  if (only && open.length === 1) return textOf(only.id);
  return findId(client, DISRUPTIONS, text);
}

function timeOf(call: Call, option: string): Date | undefined {
  const text = call.text(option);
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new UsageError(`--${option} must be a time such as 2026-11-20T22:00:00Z, not ${JSON.stringify(text)}.`);
}
