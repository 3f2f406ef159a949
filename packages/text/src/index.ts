export { readCursor, writeCursor } from './cursor.ts';
export { isId } from './is-id.ts';
export { problemOfLine, problemOfProse } from './problem-of-text.ts';
export { spellDuration } from './spell-duration.ts';
