export { readCursor, writeCursor } from './cursor.ts';
export { cutErrorText, MAX_ERROR_LENGTH } from './error-text.ts';
export { isEmail } from './is-email.ts';
export { isId } from './is-id.ts';
export { networkOf, siteOf } from './network-of.ts';
export { parseHttpUrl } from './parse-http-url.ts';
export { isBlank, problemOfLine, problemOfProse } from './problem-of-text.ts';
export { senderAddress } from './sender-address.ts';
export { spellDuration } from './spell-duration.ts';
