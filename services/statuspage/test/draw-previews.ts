import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installChromium } from '@tocsin/dev-servers/find-chromium';
import { chromium } from 'playwright-core';
import { LOOKS, type Look, STATUS_COLORS } from '../src/web/status-colors.ts';
import { ICON_SHAPES } from '../src/web/status-look.ts';

/**
 * Draws the images that chats and social networks show beside a link to a status page: one per status, without text, so
 * that they fit every page and language.
 */

const FOLDER = join(import.meta.dirname, '../src/web/preview');
const SIZE = { width: 1_200, height: 630 };
const BARS = 30;

/**
 * Returns the status whose icon represents a look. All statuses with the look `unknown` have the icon of `no_data`.
 */
const iconOf = (look: Look) => (look === 'unknown' ? 'no_data' : look);

function drawing(look: Look): string {
  const color = STATUS_COLORS[look].light;
  const bars = Array.from({ length: BARS }, (_, day) => {
    const isLast = day === BARS - 1;
    return `<rect x="${day * 32}" width="20" height="72" rx="6" fill="#fff" fill-opacity="${isLast ? 1 : 0.3}"/>`;
  });
  return `<!doctype html><style>
    body { margin: 0; background: ${color}; color: #fff; --glyph: ${color}; }
    symbol path { fill: none; stroke: var(--glyph); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
    symbol .solid { fill: currentColor; stroke: none; }
    .icon { position: absolute; left: 460px; top: 96px; }
    .bars { position: absolute; left: 126px; top: 468px; }
  </style>${ICON_SHAPES}
  <svg class="icon" width="280" height="280"><use href="#icon-${iconOf(look)}"/></svg>
  <svg class="bars" width="948" height="72">${bars.join('')}</svg>`;
}

await mkdir(FOLDER, { recursive: true });
const browser = await chromium.launch({ executablePath: await installChromium(process.env), args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: SIZE });
for (const look of LOOKS) {
  await page.setContent(drawing(look));
  const file = join(FOLDER, `${look}.png`);
  const image = await page.screenshot();
  await writeFile(file, image);
  process.stdout.write(`${file}: ${image.length} bytes\n`);
}
await browser.close();
