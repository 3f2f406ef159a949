/** What a synthetic check's script did, beside its outcome. */
export interface ScriptRun {
  /** In the order in which they ended. */
  readonly steps: readonly ScriptStep[];
  /** What it wrote to the console. */
  readonly log: readonly string[];
  /** Where it failed, both from 1. */
  readonly location: ScriptLocation | undefined;
  /** Whether a screenshot is stored. */
  readonly hasScreenshot: boolean;
}

export interface ScriptStep {
  readonly name: string;
  readonly ms: number;
  readonly passed: boolean;
}

export interface ScriptLocation {
  readonly line: number;
  readonly column: number;
}

export const SCREENSHOT_DAYS = 30;

const MAX_SCREENSHOT_BYTES = 512 * 1024;

/** Returns why bytes can't be stored as a screenshot; undefined when they can. */
export function whyNoScreenshot(image: Uint8Array): string | undefined {
  if (image.length > MAX_SCREENSHOT_BYTES) return `has ${image.length} bytes, at most ${MAX_SCREENSHOT_BYTES} are kept`;
  // Markers: Start of Image, and the first byte of the next one (ITU T.81 §B.1.1).
  const isJpeg = image[0] === 0xff && image[1] === 0xd8 && image[2] === 0xff;
  return isJpeg ? undefined : 'is not a JPEG';
}

/** From when on the pictures of rounds are shown. */
export function oldestScreenshot(now: Date): Date {
  return new Date(now.getTime() - SCREENSHOT_DAYS * 86_400_000);
}
