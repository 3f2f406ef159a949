import { Ajv, type ValidateFunction } from 'ajv';
import type { FastifyInstance } from 'fastify';

/**
 * Bodies are taken as they are: nothing is converted, filled in or dropped, and every wrong field is found. Query strings
 * are text, so those are converted.
 */
export function addValidation(app: FastifyInstance): void {
  const options = {
    allErrors: true,
    verbose: true,
    strict: false,
    removeAdditional: false,
    useDefaults: false,
  } as const;
  const exact = new Ajv({ ...options, coerceTypes: false });
  const converting = new Ajv({ ...options, coerceTypes: true });
  app.setValidatorCompiler(
    ({ schema, httpPart }): ValidateFunction => (httpPart === 'body' ? exact : converting).compile(schema),
  );
}
