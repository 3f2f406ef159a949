import { readFileSync } from 'node:fs';
import type { PageStatus } from '../domain/shown-status.ts';
import { LOOKS, type Look } from './status-colors.ts';
import { lookOf } from './status-look.ts';

/** Size of link preview images, in pixels. */
export const PREVIEW_SIZE = { width: 1_200, height: 630 };

/**
 * Returns the path, below a page's address, of the preview image for a link to a page or component with this status.
 */
export function previewPath(status: PageStatus): string {
  return pathOf(lookOf(status));
}

/** Link preview images, by their path below a page's address. `npm run previews` draws them. */
export const PREVIEWS: ReadonlyMap<string, Buffer> = new Map(
  LOOKS.map((look) => [pathOf(look), readFileSync(new URL(pathOf(look), import.meta.url))]),
);

function pathOf(look: Look): string {
  return `preview/${look}.png`;
}
