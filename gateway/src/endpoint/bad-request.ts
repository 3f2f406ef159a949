/** Error for a request that can't be parsed, so that no field can be named. Rendered as 400 with this message. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
  readonly statusCode = 400;
}
