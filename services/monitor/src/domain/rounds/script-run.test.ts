import { expect, test } from 'vitest';
import { whyNoScreenshot } from './script-run.ts';

const JPEG = [0xff, 0xd8, 0xff, 0xe0];

test.each([
  ['an image that consists of a JPEG header is accepted', Uint8Array.of(...JPEG), undefined],
  ['an image of the maximum size is accepted', new Uint8Array([...JPEG, ...new Uint8Array(512 * 1024 - 4)]), undefined],
  [
    'an image that is one byte too large is rejected',
    new Uint8Array([...JPEG, ...new Uint8Array(512 * 1024 - 3)]),
    'has 524289 bytes, at most 524288 are kept',
  ],
  ['an empty image is rejected', new Uint8Array(), 'is not a JPEG'],
  ['an HTML page is rejected', new TextEncoder().encode('<html><script>'), 'is not a JPEG'],
])('whyNoScreenshot(): %s', (_, image, why) => {
  expect(whyNoScreenshot(image)).toBe(why);
});
