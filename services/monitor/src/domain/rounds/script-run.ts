/** Details of a synthetic check's script run. */
export interface ScriptRun {
  /** Steps in the order in which they ended. */
  readonly steps: readonly ScriptStep[];
  /** Console output of the script, by line. */
  readonly log: readonly string[];
  /** Line and column of the failure, both starting at 1; undefined if not known. */
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

/** Returns the reason why an image can't be stored as a screenshot; undefined if it can. */
export function whyNoScreenshot(image: Uint8Array): string | undefined {
  if (image.length > MAX_SCREENSHOT_BYTES) return `has ${image.length} bytes, at most ${MAX_SCREENSHOT_BYTES} are kept`;
  // JPEG starts with the Start of Image marker and the first byte of the next marker (ITU T.81 §B.1.1).
  const isJpeg = image[0] === 0xff && image[1] === 0xd8 && image[2] === 0xff;
  return isJpeg ? undefined : 'is not a JPEG';
}

/** Returns the earliest time of a round whose screenshot is still available. */
export function oldestScreenshot(now: Date): Date {
  return new Date(now.getTime() - SCREENSHOT_DAYS * 86_400_000);
}
