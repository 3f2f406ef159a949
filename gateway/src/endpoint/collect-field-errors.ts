import { type FieldErrors, invalid, ServiceError } from '@tocsin/errors';
import type { FastifyRequest } from 'fastify';
import { fieldErrors, type SchemaViolation } from './field-errors.ts';

/**
 * Violations of a bound only: such a value can still be handed on, so that more is found out about it and its
 * neighbours.
 */
const BOUNDS = new Set(['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern']);

/**
 * Everything that is wrong with a body that the schema refuses, in one error: beside the schema's findings those of the
 * service, which `dryRun` asks with what the schema left of the body.
 * @throws ServiceError `not_found` when the service says that there is nothing to change.
 */
export async function collectFieldErrors(
  request: Pick<FastifyRequest, 'body' | 'validationError'>,
  dryRun: (body: Record<string, unknown>) => Promise<unknown>,
): Promise<Error> {
  const { validationError: refusal, body } = request;
  if (!refusal) throw new Error('the schema has not refused this request');
  if (refusal.validationContext !== 'body' || !isObject(body)) return refusal;
  const violations: SchemaViolation[] = refusal.validation;
  const unusable = new Set(violations.filter(({ keyword }) => !BOUNDS.has(keyword)).map(topOf));
  const rest = Object.fromEntries(Object.entries(body).filter(([field]) => !unusable.has(field)));
  const fields = fieldErrors(violations);
  for (const [field, words] of Object.entries(await findings(dryRun(rest)))) {
    if (!unusable.has(field.split('.')[0] ?? '')) fields[field] ??= words;
  }
  return invalid(fields);
}

/**
 * None when the service finds nothing, is away, or can't make sense of what is left: the schema's own findings stand
 * anyway.
 * @throws ServiceError `not_found`: what is not there, or another's, is not found whatever was sent for it.
 */
async function findings(dryRun: Promise<unknown>): Promise<FieldErrors> {
  try {
    await dryRun;
    return {};
  } catch (error) {
    if (!(error instanceof ServiceError)) return {};
    if (error.kind === 'not_found') throw error;
    return error.fields;
  }
}

/** The field of the body that a violation is in. */
function topOf({ keyword, instancePath, params }: SchemaViolation): string {
  const top = instancePath.split('/')[1];
  return top ?? (keyword === 'required' ? String(params.missingProperty) : '');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
