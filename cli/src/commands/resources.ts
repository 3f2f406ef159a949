import { stringify } from 'yaml';
import { type Call, type Command, JSON_OPTION, type Option, printJson, widthOf } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bodyOf, readData } from '../fields.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { findId, type ResourceKind } from '../resource.ts';
import { table } from '../terminal/table.ts';
import { oneLine } from '../terminal/text.ts';

const DATA: Option = {
  type: 'string',
  short: 'd',
  value: 'FILE',
  help: 'Read the fields from JSON or YAML; - is stdin',
};

const FIELDS = `Fields are those of the API: field=value, config.field=value. A list is a,b or JSON. See /docs of the installation.`;

/** Returns the commands that list, get, create, update and delete the resources of a kind. */
export function resourceCommands(kind: ResourceKind): Command[] {
  const { name, singular, path, label, schema, filters, columns } = kind;
  const target = `${label.toUpperCase()}|ID`;
  return [
    {
      name: `${name} list`,
      summary: `List all ${singular}s, newest first`,
      options: {
        json: JSON_OPTION,
        ...Object.fromEntries(
          filters.map((filter) => [
            optionOf(filter),
            {
              type: 'string',
              value: 'VALUE',
              help: filter === 'q' ? 'Only those with this text in the name' : `Only those with this ${filter}`,
            } satisfies Option,
          ]),
        ),
      },
      examples: [`tocsin ${name} list`, `tocsin ${name} list --json | jq -r '.[].id'`],
      async run(call) {
        const query = new URLSearchParams(
          filters.flatMap((filter) => {
            const value = call.text(optionOf(filter));
            return value === undefined ? [] : [[filter, value] as [string, string]];
          }),
        );
        const client = await call.client();
        const items = await client.list(query.size > 0 ? `${path}?${query}` : path);
        if (call.has('json')) printJson(call.context, items);
        else if (items.length === 0) call.context.stderr.write(`There are no ${singular}s.\n`);
        else {
          const titles = columns.map(([title]) => title);
          const rows = items.map((item) => columns.map(([, cell]) => cell(item)));
          call.context.stdout.write(table(titles, rows, widthOf(call.context)));
        }
        return undefined;
      },
    },
    {
      name: `${name} get`,
      usage: target,
      args: [1, 1],
      summary: `Show one ${singular} with all its fields`,
      options: { json: JSON_OPTION },
      examples: [`tocsin ${name} get ${exampleOf(kind)}`],
      async run(call) {
        const client = await call.client();
        show(call, await client.data('GET', `${path}/${await findId(client, kind, call.args[0] ?? '')}`));
        return undefined;
      },
    },
    {
      name: `${name} create`,
      usage: 'FIELD=VALUE…',
      args: [0, Number.POSITIVE_INFINITY],
      summary: `Create one ${singular}`,
      details: FIELDS,
      options: { data: DATA, json: JSON_OPTION },
      examples: [`tocsin ${name} create ${kind.createExample}`, `tocsin ${name} create --data ${name}.json`],
      async run(call) {
        const body = await requestBody(call, call.args, schema);
        const client = await call.client();
        show(call, await client.data('POST', path, { body }));
        return undefined;
      },
    },
    {
      name: `${name} update`,
      usage: `${target} FIELD=VALUE…`,
      args: [1, Number.POSITIVE_INFINITY],
      summary: `Change fields of one ${singular}; the others keep their values`,
      details: FIELDS,
      options: { data: DATA, json: JSON_OPTION },
      examples: [`tocsin ${name} update ${kind.updateExample}`],
      async run(call) {
        const [text = '', ...fields] = call.args;
        const changes = await requestBody(call, fields, schema);
        const client = await call.client();
        const at = `${path}/${await findId(client, kind, text)}`;
        const body = name === 'monitors' ? await withWholeConfig(changes, () => client.data('GET', at), call) : changes;
        show(call, await client.data('PATCH', at, { body }));
        return undefined;
      },
    },
    {
      name: `${name} delete`,
      usage: target,
      args: [1, 1],
      summary: `Delete one ${singular}`,
      examples: [`tocsin ${name} delete ${exampleOf(kind)}`],
      async run(call) {
        const client = await call.client();
        await client.send('DELETE', `${path}/${await findId(client, kind, call.args[0] ?? '')}`);
        return undefined;
      },
    },
  ];
}

/** Prints a resource as JSON, or with one line per field. */
export function show({ has, context }: Call, item: JsonObject): void {
  if (has('json')) {
    printJson(context, item);
    return;
  }
  const entries = Object.entries(item);
  const width = Math.max(...entries.map(([name]) => name.length));
  for (const [name, value = null] of entries) {
    const isNested = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
    if (!isNested) context.stdout.write(`${name.padEnd(width)}  ${cellOf(value)}\n`);
    else context.stdout.write(`${name}\n${nested(value)}`);
  }
}

function cellOf(value: Json): string {
  if (typeof value === 'string') return oneLine(value);
  return value === null ? '-' : JSON.stringify(value);
}

/** Returns a list or an object as indented YAML, without characters that control a terminal. */
function nested(value: Json): string {
  const lines = stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
  return lines.map((line) => `  ${/^ */.exec(line)?.[0]}${oneLine(line)}\n`).join('');
}

async function requestBody(call: Call, fields: readonly string[], schema: ResourceKind['schema']): Promise<JsonObject> {
  const file = call.text('data');
  if (file === undefined && fields.length === 0) {
    throw new UsageError('No field is given. Write field=value, or --data FILE.');
  }
  return bodyOf(fields, schema, file === undefined ? {} : await readData(file, call.context));
}

/**
 * Adds the existing fields to a config if only some were given, because the API replaces a config as a whole. A config
 * from a file is sent unchanged.
 */
async function withWholeConfig(changes: JsonObject, read: () => Promise<JsonObject>, call: Call): Promise<JsonObject> {
  if (!isObject(changes.config) || call.text('data') !== undefined) return changes;
  if (!call.args.some((arg) => arg.startsWith('config.'))) return changes;
  const { config } = await read();
  return { ...changes, config: { ...(isObject(config) ? config : {}), ...changes.config } };
}

function optionOf(filter: string): string {
  return filter.replaceAll('_', '-');
}

function exampleOf({ updateExample }: ResourceKind): string {
  return updateExample.split(' ')[0] ?? '';
}
