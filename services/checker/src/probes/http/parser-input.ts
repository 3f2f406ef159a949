const LF = 0x0a;
const EMPTY = Buffer.alloc(0);

/** Bytes that a parser has received but not read. Add a chunk only when all bytes of the previous one are read. */
export class ParserInput {
  #chunk: Buffer = EMPTY;
  #at = 0;
  /** The part of the current line that was in earlier chunks. */
  #line = '';
  /** Whether the peer sends no more bytes. */
  isClosed = false;

  add(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#at = 0;
  }

  /** Reads up to the next LF. Returns what was read without the LF, and whether there was one. */
  readLine(): { readonly text: string; readonly isWhole: boolean } {
    const end = this.#chunk.indexOf(LF, this.#at);
    const isWhole = end >= 0;
    const text = this.#line + this.#chunk.toString('latin1', this.#at, isWhole ? end : undefined);
    this.#at = isWhole ? end + 1 : this.#chunk.length;
    this.#line = isWhole ? '' : text;
    return { text, isWhole };
  }

  /** Reads up to `length` bytes; undefined if no bytes are left. */
  readBytes(length: number): Buffer | undefined {
    if (this.#at === this.#chunk.length) return undefined;
    const piece = this.#chunk.subarray(this.#at, this.#at + length);
    this.#at += piece.length;
    return piece;
  }
}
