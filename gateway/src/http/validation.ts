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

/** JSON bodies and no others. An empty one is no body: many clients name a content type even when they have nothing to send. */
export function addJsonBodies(app: FastifyInstance): void {
  // Fastify brings one for text/plain, too.
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else parse(request, body.toString(), done);
  });
}
