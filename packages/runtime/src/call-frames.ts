import type { Writable } from 'node:stream';

/**
 * A frame of a shared stream begins with two 32-bit little-endian integers, the lengths of its head and of its body in
 * bytes. Then come the head, as JSON, and the body.
 */
const PREFIX_BYTES = 8;

const NO_BODY = new Uint8Array();

export function encodeFrame(head: object, body: Uint8Array = NO_BODY): Buffer {
  const json = JSON.stringify(head);
  const headBytes = Buffer.byteLength(json);
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + headBytes + body.length);
  frame.writeUInt32LE(headBytes, 0);
  frame.writeUInt32LE(body.length, 4);
  frame.write(json, PREFIX_BYTES);
  frame.set(body, PREFIX_BYTES + headBytes);
  return frame;
}

/** Reads frames from the chunks in which they arrive. */
export class FrameReader {
  readonly #maxBytes: number;
  readonly #receive: (head: unknown, body: Buffer) => void;
  #chunks: Buffer[] = [];
  #length = 0;
  /** Length that the chunks must have to contain a frame, as far as it is known. */
  #needed = PREFIX_BYTES;

  /** Calls `receive` with each frame of up to `maxBytes`. */
  constructor(maxBytes: number, receive: (head: unknown, body: Buffer) => void) {
    this.#maxBytes = maxBytes;
    this.#receive = receive;
  }

  /**
   * @throws RangeError if a frame is too large.
   * @throws SyntaxError if a head is not JSON.
   */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#needed) return;
    const rest = this.#read(this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks));
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
  }

  /** Reads all complete frames, and returns the rest of the data. */
  #read(data: Buffer): Buffer {
    let start = 0;
    for (;;) {
      this.#needed = PREFIX_BYTES;
      if (data.length - start < this.#needed) break;
      const bodyStart = PREFIX_BYTES + data.readUInt32LE(start);
      this.#needed = bodyStart + data.readUInt32LE(start + 4);
      if (this.#needed > this.#maxBytes) throw new RangeError(`a frame is larger than ${this.#maxBytes} bytes`);
      if (data.length - start < this.#needed) break;
      const head: unknown = JSON.parse(data.toString('utf8', start + PREFIX_BYTES, start + bodyStart));
      this.#receive(head, data.subarray(start + bodyStart, start + this.#needed));
      start += this.#needed;
    }
    return data.subarray(start);
  }
}

/** Writes the frames of one turn of the event loop together. */
export class FrameWriter {
  readonly #stream: Writable;
  #frames: Buffer[] = [];
  #hasEnded = false;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  push(frame: Buffer): void {
    if (this.#frames.push(frame) === 1) process.nextTick(flush, this);
  }

  /** Ends the stream after the frames. */
  end(): void {
    this.#hasEnded = true;
    if (this.#frames.length === 0) this.#stream.end();
  }

  flush(): void {
    const frames = this.#frames;
    this.#frames = [];
    // A stream that is closed takes no more data.
    if (this.#stream.writable) this.#stream.write(Buffer.concat(frames));
    if (this.#hasEnded) this.#stream.end();
  }
}

function flush(writer: FrameWriter): void {
  writer.flush();
}
