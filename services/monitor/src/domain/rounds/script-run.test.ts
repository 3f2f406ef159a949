import { expect, test } from 'vitest';
import { whyNoScreenshot } from './script-run.ts';

const JPEG = [0xff, 0xd8, 0xff, 0xe0];

test.each([
  ['the smallest beginning', Uint8Array.of(...JPEG), undefined],
  ['as much as may be', new Uint8Array([...JPEG, ...new Uint8Array(512 * 1024 - 4)]), undefined],
  [
    'a byte more',
    new Uint8Array([...JPEG, ...new Uint8Array(512 * 1024 - 3)]),
    'has 524289 bytes, at most 524288 are kept',
  ],
  ['nothing', new Uint8Array(), 'is not a JPEG'],
  ['a page', new TextEncoder().encode('<html><script>'), 'is not a JPEG'],
])('of pictures, %s is judged', (_, image, why) => {
  expect(whyNoScreenshot(image)).toBe(why);
});
