import { pipeline, type Readable, type Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { CheckFailure } from '../../domain/check-failure.ts';
import { connectionLost, type HttpStream } from './http-stream.ts';

/** Maximum number of decoded bytes that are read from a body. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;

/**
 * Maximum number of encoded bytes that are read from a body. More than the decoded ones, because a decoder still holds
 * some of its input, and no encoding makes a body much longer.
 */
const MAX_ENCODED_BYTES = MAX_BODY_BYTES + 256 * 1024;

/** Maximum number of chunks that are read. Many tiny chunks are expensive. */
const MAX_PIECES = 20_000;

const BOUND_REACHED = new Error('the encoded body is too long');

export const ACCEPTED_ENCODINGS = 'gzip, deflate, br, zstd';

/** Starts the decoder for a body that begins with the given bytes. */
type StartDecoder = (first: Buffer) => Transform;

const chunkSize = 64 * 1024;
const gunzip: StartDecoder = () => createGunzip({ chunkSize });
const DECODERS: ReadonlyMap<string, StartDecoder> = new Map<string, StartDecoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  // Some servers leave out the zlib header, which browsers tolerate (RFC 9110 §8.4.1.2).
  [
    'deflate',
    ([method = 0]) => ((method & 0x0f) === 8 ? createInflate({ chunkSize }) : createInflateRaw({ chunkSize })),
  ],
  ['br', () => createBrotliDecompress({ chunkSize })],
  // The maximum window size of a zstd-encoded body is 8 MiB (RFC 9659 §3).
  ['zstd', () => createZstdDecompress({ chunkSize, params: { [constants.ZSTD_d_windowLogMax]: 23 } })],
]);

/** Elements of a content-encoding header that stand for no encoding. Real servers send `none`, too. */
const UNENCODED: readonly string[] = ['', 'identity', 'none'];

/**
 * Reads a body up to the limit, and returns whether the whole body was read. If `look` is given, the body is decoded
 * and passed to `look`, which returns whether it needs more of the body.
 */
export async function readBody(response: HttpStream, look: ((piece: Buffer) => boolean) | undefined): Promise<boolean> {
  const isWhole = await pourDecoded(response, look);
  const broken = isWhole ? response.broken() : undefined;
  if (broken) throw broken;
  return isWhole;
}

async function pourDecoded(
  { body, headers }: HttpStream,
  look: ((piece: Buffer) => boolean) | undefined,
): Promise<boolean> {
  if (!look) return pour(body, () => true);
  const startDecoder = decoderFor(headers['content-encoding'] ?? '');
  if (!startDecoder) return pour(body, look);
  const first = await firstPieceOf(body);
  // A response without a body, such as a response to HEAD, may have a content-encoding header.
  if (!first) return true;
  const decoder = startDecoder(first);
  endAtBound(decoder, body);
  // Connects the streams, so that an error in one ends both.
  pipeline(body, decoder, () => {});
  try {
    return await pour(decoder, look);
  } catch (error) {
    if (error === BOUND_REACHED) return false;
    throw error;
  } finally {
    decoder.destroy();
  }
}

/** Ends a decoder whose input exceeds the bounds of a body. Otherwise, input that decodes to nothing has no end. */
function endAtBound(decoder: Transform, encoded: Readable): void {
  const isWithinBounds = withinBounds(MAX_ENCODED_BYTES);
  encoded.on('data', (piece: Buffer) => {
    if (!isWithinBounds(piece)) decoder.destroy(BOUND_REACHED);
  });
}

/** Returns a function that counts pieces of a body and returns whether more of them may be read. */
function withinBounds(maxBytes: number): (piece: Buffer) => boolean {
  let bytes = 0;
  let pieces = 0;
  return (piece) => {
    bytes += piece.length;
    pieces += 1;
    return bytes < maxBytes && pieces < MAX_PIECES;
  };
}

/** Returns the first piece of a body, and leaves it in the body; undefined if the body is empty. */
async function firstPieceOf(body: Readable): Promise<Buffer | undefined> {
  for await (const piece of body.iterator({ destroyOnReturn: false })) {
    body.unshift(piece);
    return piece;
  }
  return undefined;
}

/**
 * Passes the chunks of a stream to `look`. Uses events because `for await` costs as much as the rest of a small check.
 */
function pour(source: Readable, look: (piece: Buffer) => boolean): Promise<boolean> {
  return new Promise((resolve, reject) => {
    if (source.destroyed) return reject(source.errored ?? connectionLost());
    const isWithinBounds = withinBounds(MAX_BODY_BYTES);
    source.on('data', (piece: Buffer) => {
      const wantsMore = look(piece);
      if (isWithinBounds(piece) && wantsMore) return;
      source.pause();
      resolve(false);
    });
    source.once('end', () => resolve(true));
    source.once('error', reject);
    source.once('close', () => {
      if (!source.readableEnded) reject(connectionLost());
    });
  });
}

/** Returns the decoder for the value of content-encoding; undefined if the body is not encoded. */
function decoderFor(value: string): StartDecoder | undefined {
  const encodings = value
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim());
  const [encoding, second] = encodings.filter((one) => !UNENCODED.includes(one));
  if (encoding === undefined) return undefined;
  const decoder = second === undefined ? DECODERS.get(encoding) : undefined;
  if (decoder) return decoder;
  throw new CheckFailure('error', `the body is encoded as "${shorten(value)}", expected one of ${ACCEPTED_ENCODINGS}`);
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
