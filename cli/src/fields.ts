import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { parse } from 'yaml';
import type { Context } from './context.ts';
import { UsageError } from './errors.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { type Schema, schemasAt, typesOf } from './schema.ts';

/**
 * Returns `base` with the fields that arguments such as `name=Shop` and `config.url=https://…` set. If the schema of a
 * field requires a string, the value is used unchanged. Other values are parsed as JSON if possible.
 */
export function bodyOf(args: readonly string[], schema: Schema, base: JsonObject = {}): JsonObject {
  let body = base;
  for (const arg of args) {
    const equals = arg.indexOf('=');
    if (equals <= 0) throw new UsageError(`${JSON.stringify(arg)} is not like field=value.`);
    const path = arg.slice(0, equals).split('.');
    body = withField(body, path, parseValue(arg.slice(equals + 1), schemasAt(schema, path)));
  }
  return body;
}

/** Reads an object from a JSON or YAML file; `-` is stdin. */
export async function readData(file: string, { stdin }: Context): Promise<JsonObject> {
  let content: unknown;
  try {
    content = parse(file === '-' ? await readAll(stdin) : await readFile(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isObject(content)) throw new UsageError(`${file} does not contain an object.`);
  return content;
}

function withField(body: JsonObject, [key = '', ...rest]: readonly string[], value: Json): JsonObject {
  const inner = Object.hasOwn(body, key) ? body[key] : undefined;
  return { ...body, [key]: rest.length === 0 ? value : withField(isObject(inner) ? inner : {}, rest, value) };
}

function parseValue(text: string, schemas: readonly Schema[]): Json {
  const types = schemas.flatMap(typesOf);
  if (text === 'null' && types.includes('null')) return null;
  const isText = types.includes('string') && !types.includes('array') && !types.includes('object');
  if (isText) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    // A list can be written as `a,b`.
    return types.includes('array') ? text.split(',').map((item) => itemOf(item, schemas)) : text;
  }
}

function itemOf(text: string, schemas: readonly Schema[]): Json {
  return parseValue(
    text,
    schemas.flatMap(({ items }) => items ?? []),
  );
}
