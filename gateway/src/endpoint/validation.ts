import { isUtf8 } from 'node:buffer';
import { invalid } from '@tocsin/errors';
import { Ajv } from 'ajv';
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import { sizeViolations } from './array-sizes.ts';
import { BadRequest } from './bad-request.ts';
import { convertQuery } from './convert-query.ts';
import { isDeeperThan, MAX_BODY_DEPTH } from './json-depth.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON body as it was sent. */
    bodyText: string;
  }
}

/**
 * Validates bodies as they are: nothing is converted, filled in or dropped, and every wrong field is found. Query
 * strings are text, which is converted first. What is too large is refused before its details are looked at.
 */
export function addValidation(app: FastifyInstance): void {
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    strict: false,
    removeAdditional: false,
    useDefaults: false,
    coerceTypes: false,
  });
  app.setValidatorCompiler<Record<string, unknown>>(({ schema, httpPart }) => {
    const validateDetails = ajv.compile<Record<string, unknown>>(schema);
    // Fastify reads the errors of a validator from the function, as Ajv leaves them.
    const validate: ReturnType<FastifySchemaCompiler<unknown>> = (value: Record<string, unknown>): boolean => {
      if (httpPart === 'querystring') convertQuery(schema, value);
      // A path is never too large, and one that names nothing is not found.
      const sizes = httpPart === 'params' ? [] : sizeViolations(schema, value);
      validate.errors = sizes.length > 0 ? sizes : null;
      if (validate.errors) return false;
      const isValid = validateDetails(value);
      validate.errors = validateDetails.errors ?? null;
      return isValid;
    };
    return validate;
  });
}

/**
 * Accepts JSON bodies and no others. An empty one counts as none: many clients name a content type with nothing to
 * send.
 */
export function addJsonBodies(app: FastifyInstance): void {
  // Fastify brings one for text/plain, too.
  app.removeAllContentTypeParsers();
  app.decorateRequest('bodyText', '');
  // `__proto__` is a name like any other: parsed it is an own property, and no body is ever merged into an object.
  const parse = app.getDefaultJsonParser('ignore', 'ignore');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (!isUtf8(body)) return done(new BadRequest('the body is not valid UTF-8'));
    request.bodyText = body.toString();
    if (isDeeperThan(request.bodyText, MAX_BODY_DEPTH)) {
      return done(invalid({ body: [`must not be nested deeper than ${MAX_BODY_DEPTH} levels`] }));
    }
    parse(request, request.bodyText, done);
  });
}
