import { type FieldErrors, invalid, ServiceError } from '@tocsin/errors';
import type { FastifyRequest } from 'fastify';
import { fieldErrors, type SchemaViolation } from './field-errors.ts';

/**
 * Schema keywords that bound a value. The service can still validate a value that violates only these keywords.
 */
const BOUNDS = new Set(['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'pattern']);

/**
 * Returns one error that lists everything wrong with a request: the schema violations, and the errors that the service
 * finds in the fields that the schema accepts. `validateOnly` calls the service's validation.
 * @throws ServiceError `not_found` when the service reports that the resource does not exist.
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
  // If the body as a whole is invalid, the service has nothing to validate.
  if (unusable.has('')) return invalid(fields);
  const rest = Object.fromEntries(Object.entries(body).filter(([field]) => !unusable.has(field)));
  for (const [field, messages] of Object.entries(await findings(validateOnly(rest)))) {
    if (!unusable.has(field.split('.')[0] ?? '')) fields[field] ??= messages;
  }
  return invalid(fields);
}

/**
 * Returns the field errors that the service finds in the fields that the schema accepted. Returns none if the service
 * is unavailable or can't read these fields, because the schema's own errors are reported anyway.
 * @throws ServiceError `not_found` if the resource does not exist or belongs to another organization. The response is
 * then a 404 even if the body is invalid.
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

/** Returns the top-level field that contains a violation; empty if the body itself violates the schema. */
function topOf({ keyword, instancePath, params }: SchemaViolation): string {
  const top = instancePath.split('/')[1];
  return top ?? (keyword === 'required' ? String(params.missingProperty) : '');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
