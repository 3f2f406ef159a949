/** A response that breaks the rules of HTTP/1.1. The codes are those of llhttp, the parser of Node.js. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: `HPE_${string}`;
  /** The broken rule, such as "Invalid status code". */
  readonly reason: string;

  constructor(code: ProtocolError['code'], reason: string) {
    super(reason);
    this.code = code;
    this.reason = reason;
  }
}
