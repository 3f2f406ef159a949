import { pipeline, type Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Encoding, preferredEncoding } from './preferred-encoding.ts';

/** Minimum size of a response to compress. Smaller responses fit into one packet anyway. */
const WORTH_IT_BYTES = 1024;

/** Media types to compress. Other types, such as images, fonts and archives, are already compressed. */
const COMPRESSIBLE = /^(text\/|image\/svg|application\/([\w.-]+\+)?(json|xml|yaml|javascript))/;

interface Compressor {
  whole(bytes: Buffer): Promise<Buffer>;
  stream(): Transform;
}

/** Brotli's default quality is meant for static files and is ten times slower. */
const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };

const compressors: Readonly<Record<Encoding, Compressor>> = {
  br: {
    whole: (bytes) => promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)(bytes, brotli),
    stream: () => zlib.createBrotliCompress(brotli),
  },
  zstd: { whole: promisify<Buffer, Buffer>(zlib.zstdCompress), stream: () => zlib.createZstdCompress() },
  gzip: { whole: promisify<Buffer, Buffer>(zlib.gzip), stream: () => zlib.createGzip() },
};

type Payload = string | Buffer | Readable | null | undefined;

/** Compresses the responses of routes that are added later, with the encoding that the caller prefers. */
export function addCompression(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    // Compression runs after the hooks that read the whole payload (ETags, idempotency), and before the hook that
    // measures it for HEAD.
    route.onSend = [
      async (request, reply, payload) => {
        addVary(reply);
        weakenEtag(reply);
        const encoding = preferredEncoding(request.headers['accept-encoding']);
        return encoding ? compressed(payload as Payload, encoding, reply) : payload;
      },
      ...[route.onSend ?? []].flat(),
    ];
  });
}

async function compressed(payload: Payload, encoding: Encoding, reply: FastifyReply): Promise<Payload> {
  if (payload === null || payload === undefined || !isWorthIt(payload, reply)) return payload;
  reply.header('content-encoding', encoding).removeHeader('content-length');
  const { whole, stream } = compressors[encoding];
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return whole(Buffer.from(payload));
  // If the stream fails, the response is aborted.
  return pipeline(payload, stream(), () => undefined);
}

function isWorthIt(payload: string | Buffer | Readable, reply: FastifyReply): boolean {
  if (reply.hasHeader('content-encoding') || !COMPRESSIBLE.test(String(reply.getHeader('content-type')))) return false;
  const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
  const length = isWhole ? Buffer.byteLength(payload) : Number(reply.getHeader('content-length') ?? Infinity);
  return length > WORTH_IT_BYTES;
}

function addVary(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  const names = vary === undefined ? [] : [vary].flat();
  reply.header('vary', [...names, 'accept-encoding'].join(', '));
}

/** Makes the ETag weak, because a strong ETag would claim that all encodings have the same bytes (RFC 9110 §8.8.1). */
function weakenEtag(reply: FastifyReply): void {
  const etag = reply.getHeader('etag');
  if (typeof etag === 'string' && etag.startsWith('"')) reply.header('etag', `W/${etag}`);
}
