import { Ajv, type ValidateFunction } from 'ajv';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON body as it was sent. */
    bodyText: string;
  }
}

/**
 * Bodies are taken as they are: nothing is converted, filled in or dropped, and every wrong field is found. Query
 * strings are text, so those are converted.
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

/**
 * JSON bodies and no others. An empty one is no body: many clients name a content type even when they have nothing to
 * send.
 */
export function addJsonBodies(app: FastifyInstance): void {
  // Fastify brings one for text/plain, too.
  app.removeAllContentTypeParsers();
  app.decorateRequest('bodyText', '');
  // `__proto__` is a name like any other: parsed it is an own property, and no body is ever merged into an object.
  const parse = app.getDefaultJsonParser('ignore', 'ignore');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    request.bodyText = body.toString();
    if (body.length === 0) done(null, undefined);
    else parse(request, request.bodyText, done);
  });
}
