import { type FieldErrors, invalid, ServiceError } from '@tocsin/errors';
import type { FastifyRequest } from 'fastify';
import { fieldErrors, type SchemaViolation } from './field-errors.ts';

/** Keywords of bounds. The service can still validate a value that only exceeds a bound. */
const BOUNDS = new Set(['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'pattern']);

/**
 * Returns everything that is wrong with a request that the schema refuses, in one error: the schema's findings, and
 * those of the service, which `validateOnly` calls with the part of the body that the schema accepts.
 * @throws ServiceError `not_found` when the service reports that there is nothing to change.
 */
export async function collectFieldErrors(
  request: Pick<FastifyRequest, 'body' | 'validationError'>,
  validateOnly: (body: Record<string, unknown>) => Promise<unknown>,
): Promise<Error> {
  const { validationError: refusal, body } = request;
  if (!refusal) throw new Error('the schema has not refused this request');
  if (refusal.validationContext !== 'body' || !isObject(body)) return refusal;
  const violations: SchemaViolation[] = refusal.validation;
  const unusable = new Set(violations.filter(({ keyword }) => !BOUNDS.has(keyword)).map(topOf));
  const fields = fieldErrors(violations);
  // If the body as a whole is invalid, there is nothing left to validate.
  if (unusable.has('')) return invalid(fields);
  const rest = Object.fromEntries(Object.entries(body).filter(([field]) => !unusable.has(field)));
  for (const [field, messages] of Object.entries(await findings(validateOnly(rest)))) {
    if (!unusable.has(field.split('.')[0] ?? '')) fields[field] ??= messages;
  }
  return invalid(fields);
}

/**
 * Returns the service's field errors; none if it is unavailable or can't read the remaining body, since the schema's
 * own errors are reported anyway.
 * @throws ServiceError `not_found`: a resource that is missing or another organization's is a 404 regardless of the
 * body.
 */
async function findings(validation: Promise<unknown>): Promise<FieldErrors> {
  try {
    await validation;
    return {};
  } catch (error) {
    if (!(error instanceof ServiceError)) return {};
    if (error.kind === 'not_found') throw error;
    return error.fields;
  }
}

/** Returns the top-level field of the body that a violation is in; empty for the body itself. */
function topOf({ keyword, instancePath, params }: SchemaViolation): string {
  const top = instancePath.split('/')[1];
  return top ?? (keyword === 'required' ? String(params.missingProperty) : '');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
