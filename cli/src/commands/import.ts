import { readFile, writeFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { request } from '../api/client.ts';
import type { Call, Command, Option } from '../command.ts';
import { CliError, EXIT, UsageError } from '../errors.ts';
import { toYaml } from '../file/export.ts';
import { load } from '../file/load.ts';
import { importGatus, parseGatus } from '../import/gatus.ts';
import { importKuma, readKumaBackup } from '../import/kuma.ts';
import { isDatabase, readKumaDatabase } from '../import/kuma-database.ts';
import type { Imported } from '../import/report.ts';
import { importStatuspage } from '../import/statuspage.ts';
import { readHistory } from '../import/statuspage-history.ts';
import { get, isObject, type JsonObject, textOf } from '../json.ts';
import { componentsOf, DISRUPTIONS, findId, PAGES } from '../resource.ts';

const OUTPUT: Option = { type: 'string', short: 'o', value: 'FILE', help: 'Write to a file instead of stdout' };

const DETAILS =
  'Writes a file for "apply", and lists on stderr what it could not carry over. Nothing is changed in the installation.';

const HEAD = (source: string) => ` Imported from ${source}. Look through it, then: tocsin plan -f FILE`;

const kuma: Command = {
  name: 'import kuma',
  usage: 'FILE',
  args: [1, 1],
  summary: 'Convert a backup (JSON) or the database (kuma.db) of Uptime Kuma',
  details: DETAILS,
  options: { output: OUTPUT },
  examples: ['tocsin import kuma kuma.db -o status.yaml', 'tocsin import kuma Uptime_Kuma_Backup.json -o status.yaml'],
  async run(call) {
    const file = call.args[0] ?? '';
    const content = await read(file);
    const data = isDatabase(content) ? readKumaDatabase(file) : readKumaBackup(parsed(file, content.toString()));
    if (data.monitors.length + data.notifications.length === 0) throw notFound(file, 'monitors of Uptime Kuma');
    return finish(call, importKuma(data), 'Uptime Kuma');
  },
};

const gatus: Command = {
  name: 'import gatus',
  usage: 'FILE',
  args: [1, 1],
  summary: 'Convert the configuration of Gatus (YAML)',
  details: DETAILS,
  options: { output: OUTPUT },
  examples: ['tocsin import gatus config.yaml -o status.yaml'],
  async run(call) {
    const file = call.args[0] ?? '';
    const content = parsed(file, (await read(file)).toString(), parseGatus);
    if (['endpoints', 'services', 'external-endpoints'].every((key) => get(content, key) === undefined)) {
      throw notFound(file, 'endpoints of Gatus');
    }
    return finish(call, importGatus(content), 'Gatus');
  },
};

const statuspage: Command = {
  name: 'import statuspage',
  usage: 'URL|FILE',
  args: [1, 1],
  summary: 'Convert a page of Statuspage, by its public API v2',
  details: `${DETAILS} A file is summary.json of that API.`,
  options: { output: OUTPUT },
  examples: [
    'tocsin import statuspage https://status.example.com -o status.yaml',
    'tocsin import statuspage summary.json -o status.yaml',
  ],
  async run(call) {
    const source = call.args[0] ?? '';
    const content = await readStatuspage(source, call);
    if (!Array.isArray(get(content, 'components'))) throw notFound(source, 'components of a status page');
    return finish(call, importStatuspage(content), 'Statuspage');
  },
};

const history: Command = {
  name: 'import statuspage-history',
  usage: 'URL|FILE',
  args: [1, 1],
  summary: 'Enter the past incidents and maintenances of a page of Statuspage on a page of the installation',
  details:
    'Import and apply the page first: components are known by their names. An incident with the title and start\nof an existing one is left out, so the command can be repeated. No notification is sent. A file is incidents.json of the API v2.',
  options: { page: { type: 'string', value: 'SLUG', help: 'Status page of the installation' } },
  examples: ['tocsin import statuspage-history https://status.example.com --page acme'],
  async run(call) {
    const source = call.args[0] ?? '';
    const slug = call.text('page');
    if (slug === undefined) throw new UsageError('Which page? Add --page SLUG');
    const content = await readStatuspage(source, call);
    const { disruptions, report } = readHistory(content);
    const client = await call.client();
    const page = await client.data('GET', `${PAGES.path}/${await findId(client, PAGES, slug)}`);
    const components = componentsOf(page);
    const keyOf = (title: unknown, start: unknown) => `${title} ${Math.floor(Date.parse(String(start)) / 1000)}`;
    const known = new Set((await client.list(DISRUPTIONS.path)).map((one) => keyOf(one.title, one.started_at)));
    let entered = 0;
    for (const past of disruptions) {
      if (known.has(keyOf(past.title, past.started_at))) continue;
      const affected = past.components.flatMap((text) => {
        const found = components.find(({ name, fullName }) => [name, fullName.replace('/', ' - ')].includes(text));
        if (!found) report.change(`"${past.title}"`, `the page has no component "${text}"`);
        return found ? [found.id] : [];
      });
      const ids = [...new Set(affected)].map((id) => ({ id, status: past.componentStatus }));
      const body = { ...past.body, status_page_id: textOf(page.id), components: ids };
      await client.data('POST', DISRUPTIONS.path, { body });
      entered += 1;
    }
    call.context.stderr.write(
      `Entered: ${entered}. There already: ${disruptions.length - entered}.\n${report.describe()}`,
    );
    return undefined;
  },
};

export const importCommands: readonly Command[] = [kuma, gatus, statuspage, history];

/** Writes the file and prints the report. */
async function finish(call: Call, { content, report }: Imported, source: string): Promise<undefined> {
  const { context } = call;
  const text = toYaml({ ...content }, [], HEAD(source));
  const file = call.text('output');
  // Only the current user can read the file, because it can contain the secrets of alert channels.
  if (file === undefined) context.stdout.write(text);
  else await writeFile(file, text, { mode: 0o600 });
  const counts = [
    [content.monitors.length, 'monitor'],
    [content.alert_channels.length, 'alert channel'],
    [content.status_pages.length, 'status page'],
  ].map(([count, what]) => `${count} ${what}${count === 1 ? '' : 's'}`);
  context.stderr.write(`Carried over: ${counts.join(', ')}.\n${report.describe()}`);
  const { errors, warnings } = load(file ?? 'the file', text, context.env);
  if (errors.length + warnings.length > 0) {
    context.stderr.write(`To be corrected before it can be applied: ${errors.length}\n`);
    for (const line of [...errors, ...warnings]) context.stderr.write(`  ${line}\n`);
  }
  if (content.alert_channels.length > 0) {
    context.stderr.write(
      'The file contains secrets of alert channels. Replace them by environment variables to share it.\n',
    );
  }
}

async function read(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${String(get(error, 'code'))}.`);
  }
}

function parsed(file: string, text: string, parseText: (text: string) => unknown = parse): unknown {
  try {
    return parseText(text);
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Reads a file or, if the source is a URL, downloads the documents of the status page. */
async function readStatuspage(source: string, { context }: Call): Promise<unknown> {
  if (/^https?:/.test(source)) return fetchPage(source.replace(/\/+$/, ''), context.signal);
  return parsed(source, (await read(source)).toString());
}

async function fetchPage(url: string, signal: AbortSignal): Promise<JsonObject> {
  const base = url.replace(/\/api\/v2(\/.*)?$/, '');
  const documents = await Promise.all(
    ['summary', 'incidents', 'scheduled-maintenances'].map(async (name) => {
      const { status, body } = await request(`${base}/api/v2/${name}.json`, {}, signal);
      if (status !== 200) throw new CliError(EXIT.unreachable, `${base}/api/v2/${name}.json returned ${status}.`);
      return isObject(body) ? body : {};
    }),
  );
  return Object.assign({}, ...documents) as JsonObject;
}

function notFound(source: string, what: string): CliError {
  return new CliError(EXIT.usage, `${source} contains no ${what}.`);
}
