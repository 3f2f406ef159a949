import { isUtf8 } from 'node:buffer';
import { invalid } from '@tocsin/errors';
import { Ajv, type ValidateFunction } from 'ajv';
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import { sizeViolations } from './array-sizes.ts';
import { BadRequest, UnsupportedMediaType } from './bad-request.ts';
import { convertQuery, repeatedParameters } from './convert-query.ts';
import { problemOfExtent } from './json-extent.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** JSON text of the body as it was sent. */
    bodyText: string;
  }
}

/**
 * Validates requests and collects all invalid fields. Bodies are not converted: no defaults are added, and no fields
 * are dropped. Query strings are converted first. Arrays and objects that are too large are rejected before their items
 * are validated.
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
    // Compiling the schemas of all endpoints at the start would take a tenth of the processor time of a start.
    let validateDetails: ValidateFunction<Record<string, unknown>> | undefined;
    // Fastify reads the errors from the property `errors` of the validator function, as Ajv sets it.
    const validate: ReturnType<FastifySchemaCompiler<unknown>> = (value: Record<string, unknown>): boolean => {
      if (httpPart === 'querystring') {
        const repeated = repeatedParameters(schema, value);
        validate.errors = repeated;
        if (repeated.length > 0) return false;
        convertQuery(schema, value);
      }
      // Path parameters need no size check, because an oversized id leads to a 404 anyway.
      const sizes = httpPart === 'params' ? [] : sizeViolations(schema, value);
      validate.errors = sizes.length > 0 ? sizes : null;
      if (validate.errors) return false;
      validateDetails ??= ajv.compile<Record<string, unknown>>(schema);
      const isValid = validateDetails(value);
      validate.errors = validateDetails.errors ?? null;
      return isValid;
    };
    return validate;
  });
}

/** Accepts only JSON bodies. An empty body counts as absent: many clients send a content type without a body. */
export function addJsonBodies(app: FastifyInstance): void {
  // Removes all parsers of Fastify, including the one for text/plain.
  app.removeAllContentTypeParsers();
  app.decorateRequest('bodyText', '');
  // `__proto__` is safe: JSON.parse makes it an own property, and bodies are never merged into objects.
  const parse = app.getDefaultJsonParser('ignore', 'ignore');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      return done(
        new UnsupportedMediaType(`the body must not be compressed: send it without content-encoding: ${encoding}`),
      );
    }
    if (!isUtf8(body)) return done(new BadRequest('the body is not valid UTF-8'));
    const problem = problemOfExtent(body);
    if (problem) return done(invalid({ body: [problem] }));
    request.bodyText = body.toString();
    parse(request, request.bodyText, done);
  });
}
