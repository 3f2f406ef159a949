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

/** Maximum number of chunks that are read. Many tiny chunks are expensive. */
const MAX_PIECES = 20_000;

export const ACCEPTED_ENCODINGS = 'gzip, deflate, br, zstd';

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
  const startDecoder = decoderFor(headers['content-encoding']);
  if (!startDecoder) return pour(body, look);
  const first = await firstPieceOf(body);
  // A response without a body, such as a response to HEAD, may have a content-encoding header.
  if (!first) return true;
  const decoder = startDecoder(first);
  // Connects the streams, so that an error in one ends both.
  pipeline(body, decoder, () => {});
  try {
    return await pour(decoder, look);
  } finally {
    decoder.destroy();
  }
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
    let bytes = 0;
    let pieces = 0;
    source.on('data', (piece: Buffer) => {
      bytes += piece.length;
      pieces += 1;
      const wantsMore = look(piece);
      if (wantsMore && bytes < MAX_BODY_BYTES && pieces < MAX_PIECES) return;
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

/** Starts the decoder for a body that begins with the given bytes. */
type StartDecoder = (first: Buffer) => Transform;

/** Returns the decoder for an encoding; undefined if the body is not encoded. */
function decoderFor(encoding: string | undefined): StartDecoder | undefined {
  const chunkSize = 64 * 1024;
  switch (encoding?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return () => createGunzip({ chunkSize });
    case 'deflate':
      // Some servers leave out the zlib header, which browsers tolerate (RFC 9110 §8.4.1.2).
      return ([method = 0]) => ((method & 0x0f) === 8 ? createInflate({ chunkSize }) : createInflateRaw({ chunkSize }));
    case 'br':
      return () => createBrotliDecompress({ chunkSize });
    case 'zstd':
      // Maximum window size of a zstd-encoded body (RFC 9659 §3).
      return () => createZstdDecompress({ chunkSize, params: { [constants.ZSTD_d_windowLogMax]: 23 } });
    default:
      throw new CheckFailure(
        'error',
        `the body is encoded as "${shorten(encoding ?? '')}", expected one of ${ACCEPTED_ENCODINGS}`,
      );
  }
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
