import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import {
  type IgnoredFields,
  ignoredFields,
  ignoredHeader,
  ignoredParameters,
  MAX_CHECKED,
  unknownPlaceholders,
} from '../endpoint/ignored-fields.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Ignored fields of the body; undefined if the request was refused before its handler. */
    ignoredFields: Promise<IgnoredFields> | undefined;
  }
  interface FastifyContextConfig {
    /** Schema of the query string. Parameters that are not in it are ignored. */
    query?: TSchema;
    /** Schema of the body. Fields that are not in it are ignored. */
    body?: TSchema;
    /** Schema of the response to a request with a body. */
    response?: TSchema;
    /** Schemas of `config`, by resource type. */
    configs?: Readonly<Record<string, TSchema>>;
  }
}

/**
 * Lists the ignored query parameters, and the ignored fields of the body, in the header `x-tocsin-ignored`, because
 * they may be misspelled.
 */
export function addIgnoredFields(app: FastifyInstance): void {
  app.decorateRequest('ignoredFields', undefined);

  app.addHook('preHandler', async (request) => {
    // The handler runs first. The body is then compared with its schema while the handler waits for a service.
    if (request.routeOptions.config.body) request.ignoredFields = setImmediate().then(() => ignoredFieldsOf(request));
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const { query, configs } = request.routeOptions.config;
    const parameters = query ? ignoredParameters(query, request.query) : [];
    const { fields, readOnly } = await (request.ignoredFields ?? ignoredFieldsOf(request));
    if (configs && isObject(request.body)) {
      fields.push(...ignoredKeys(request.body, configs, payload), ...ignoredKeysOfItems(request.body, configs));
    }
    if (fields.length + readOnly.length + parameters.length === 0) return;
    reply.header('x-tocsin-ignored', ignoredHeader({ fields, readOnly, parameters }));
  });
}

function ignoredFieldsOf({ body, routeOptions }: FastifyRequest): IgnoredFields {
  const { body: schema = {}, response = {} } = routeOptions.config;
  return ignoredFields(schema, body, response);
}

/**
 * Returns the config keys that are not in the type's schema, and the unknown placeholders in a template. Reads the type
 * from the response, because a PATCH body does not contain it.
 */
function ignoredKeys(
  body: Readonly<Record<string, unknown>>,
  configs: Readonly<Record<string, TSchema>>,
  payload: unknown,
): string[] {
  if (!isObject(body.config)) return [];
  const type = typeOf(body) ?? (typeof payload === 'string' ? typeOf(JSON.parse(payload).data ?? {}) : undefined);
  const schema = type !== undefined && Object.hasOwn(configs, type) ? configs[type] : undefined;
  if (!schema) return [];
  const { payload_template: template } = body.config;
  const names = ignoredFields({ ...schema, additionalProperties: false }, body.config).fields;
  if (type === 'webhook' && typeof template === 'string') {
    names.push(...unknownPlaceholders(template).map((name) => `payload_template.${name}`));
  }
  return names.map((name) => `config.${name}`);
}

/** Returns the config keys that are not in their type's schema, for a body with a list of resources. */
function ignoredKeysOfItems(
  body: Readonly<Record<string, unknown>>,
  configs: Readonly<Record<string, TSchema>>,
): string[] {
  const names: string[] = [];
  for (const [list, items] of Object.entries(body)) {
    if (!Array.isArray(items)) continue;
    for (const [index, item] of items.entries()) {
      if (names.length >= MAX_CHECKED) return names;
      if (isObject(item))
        names.push(...ignoredKeys(item, configs, undefined).map((name) => `${list}.${index}.${name}`));
    }
  }
  return names;
}

function typeOf({ check_type: checkType, type = checkType }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof type === 'string' ? type : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
