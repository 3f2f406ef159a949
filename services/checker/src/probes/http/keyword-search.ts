/** Searches for a string in a stream of bytes without buffering the whole stream. */
export class KeywordSearch {
  readonly #needle: Buffer;
  #tail: Buffer = Buffer.alloc(0);
  #found = false;

  constructor(keyword: string) {
    this.#needle = Buffer.from(keyword);
  }

  get found(): boolean {
    return this.#found;
  }

  add(piece: Buffer): void {
    if (this.#found) return;
    const window = this.#tail.length > 0 ? Buffer.concat([this.#tail, piece]) : piece;
    this.#found = window.includes(this.#needle);
    // Store the end of this piece, because the keyword may begin in this piece and end in the next one.
    this.#tail = Buffer.from(window.subarray(Math.max(0, window.length - this.#needle.length + 1)));
  }
}
