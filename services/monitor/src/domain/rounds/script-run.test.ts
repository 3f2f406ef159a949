import { expect, test } from 'vitest';
import { whyNoScreenshot } from './script-run.ts';

const JPEG = [0xff, 0xd8, 0xff, 0xe0];

test.each([
  ['the shortest JPEG header', Uint8Array.of(...JPEG), undefined],
  ['the maximum size', new Uint8Array([...JPEG, ...new Uint8Array(512 * 1024 - 4)]), undefined],
  [
    'one byte over the maximum',
    new Uint8Array([...JPEG, ...new Uint8Array(512 * 1024 - 3)]),
    'has 524289 bytes, at most 524288 are kept',
  ],
  ['an empty image', new Uint8Array(), 'is not a JPEG'],
  ['an HTML page', new TextEncoder().encode('<html><script>'), 'is not a JPEG'],
])('checking whether an image can be stored: %s', (_, image, why) => {
  expect(whyNoScreenshot(image)).toBe(why);
});
