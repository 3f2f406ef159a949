/** Error for a request that can't be parsed and therefore has no field to report. Rendered as 400 with this message. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
  readonly statusCode = 400;
}

/** Refuses a body because of its type or encoding. */
export class UnsupportedMediaType extends Error {
  override readonly name = 'UnsupportedMediaType';
  readonly statusCode = 415;
}
