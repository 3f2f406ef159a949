/** Backgrounds of each theme on which accents are drawn, as `#rrggbb`. */
export const GROUNDS = {
  light: { page: '#f6f7f9', card: '#ffffff' },
  dark: { page: '#0e1116', card: '#171b22' },
} as const;

type Rgb = readonly [number, number, number];

/**
 * Changes the OKLCH lightness of a color as little as possible, so that its contrast to each background is at least
 * `contrast` (WCAG 2.2). Hue and, as far as sRGB allows, chroma stay the same.
 */
export function adjustAccent(color: string, grounds: readonly string[], contrast: number): string {
  const isEnough = (hex: string) => grounds.every((ground) => contrastOf(hex, ground) >= contrast);
  if (isEnough(color)) return color.toLowerCase();
  const [lightness, chroma, hue] = toOklch(parse(color));
  const isDark = grounds.every((ground) => luminanceOf(parse(ground)) < 0.18);
  // The lightness changes in steps of 1/500, which are too small to be visible.
  for (let step = 1; step <= 500; step += 1) {
    const changed = lightness + (isDark ? step : -step) / 500;
    if (changed <= 0 || changed >= 1) break;
    const hex = toHex(fromOklch(changed, chroma, hue));
    if (isEnough(hex)) return hex;
  }
  return isDark ? '#ffffff' : '#000000';
}

/** Returns the contrast ratio of two colors, from 1 to 21 (WCAG 2.2). */
export function contrastOf(one: string, other: string): number {
  const [a, b] = [luminanceOf(parse(one)), luminanceOf(parse(other))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminanceOf([red, green, blue]: Rgb): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the linear RGB components of a color, from 0 to 1. */
function parse(hex: string): Rgb {
  const channel = (index: number) => {
    const value = Number.parseInt(hex.slice(1 + 2 * index, 3 + 2 * index), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(0), channel(1), channel(2)];
}

function toHex(color: Rgb): string {
  const channels = color.map((value) => {
    const encoded = value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
    return Math.round(255 * encoded)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${channels.join('')}`;
}

// OKLab defines these matrices: https://bottosson.github.io/posts/oklab/
function toOklch([red, green, blue]: Rgb): [lightness: number, chroma: number, hue: number] {
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, Math.hypot(a, b), Math.atan2(b, a)];
}

/** Converts to an sRGB color. If the color is outside of sRGB, its chroma is reduced until it fits. */
function fromOklch(lightness: number, chroma: number, hue: number): Rgb {
  for (let step = 20; step > 0; step -= 1) {
    const color = fromOklab(lightness, (chroma * step * Math.cos(hue)) / 20, (chroma * step * Math.sin(hue)) / 20);
    if (color.every((value) => value >= -0.0005 && value <= 1.0005)) return clamp(color);
  }
  return clamp(fromOklab(lightness, 0, 0));
}

function clamp([red, green, blue]: Rgb): Rgb {
  const one = (value: number) => Math.min(1, Math.max(0, value));
  return [one(red), one(green), one(blue)];
}

function fromOklab(lightness: number, a: number, b: number): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}
