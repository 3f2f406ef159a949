import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFrame, FrameReader, FrameWriter } from './call-frames.ts';

const frames = fc.array(fc.tuple(fc.dictionary(fc.string(), fc.string()), fc.uint8Array({ maxLength: 300 })));

test('frames are read as they were written, however their bytes are split', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }), (written, sizes) => {
      const bytes = Buffer.concat(written.map(([head, body]) => encodeFrame(head, body)));
      const read: unknown[] = [];
      const reader = new FrameReader(1e6, (head, body) => read.push([head, new Uint8Array(body)]));
      for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
        const end = start + (sizes[turn % sizes.length] ?? 1);
        reader.push(bytes.subarray(start, end));
        start = end;
      }
      expect(read).toEqual(written.map(([head, body]) => [JSON.parse(JSON.stringify(head)), body]));
    }),
  );
});

test('a frame of exactly the maximum size is read, and a larger one is refused before it has arrived', () => {
  const frame = encodeFrame({ id: 1 }, new Uint8Array(100));
  const read: Buffer[] = [];
  new FrameReader(frame.length, (_, body) => read.push(body)).push(frame);
  expect(read).toEqual([Buffer.alloc(100)]);
  const small = new FrameReader(frame.length - 1, (_, body) => read.push(body));
  expect(() => small.push(frame.subarray(0, 8))).toThrow('a frame is larger than');
});

test('frames of one turn of the event loop leave in one write, before the end of the stream', async () => {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const writer = new FrameWriter(stream);
  const sent = [encodeFrame({ id: 1 }), encodeFrame({ id: 2 })];
  for (const frame of sent) writer.push(frame);
  writer.end();
  await new Promise((resolve) => stream.on('end', resolve));
  expect(chunks).toEqual([Buffer.concat(sent)]);
});

test('frames for a stream that is closed are dropped', async () => {
  const stream = new PassThrough();
  const writer = new FrameWriter(stream);
  stream.destroy();
  writer.push(encodeFrame({ id: 1 }));
  writer.end();
  await new Promise((resolve) => stream.on('close', resolve));
  expect(stream.writableLength).toBe(0);
});
