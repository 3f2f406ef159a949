import { GROUNDS } from '../domain/accent-color.ts';
import { LOOKS, STATUS_COLORS } from './status-colors.ts';

const LIGHT = `
  --ground: ${GROUNDS.light.page}; --card: ${GROUNDS.light.card}; --text: #171a21; --muted: #596270; --line: #e1e5eb;
  ${variables('light', 'lightBar')} --glyph: #fff;
  --accent: var(--text); --link: var(--text); color-scheme: light;`;

const DARK = `
  --ground: ${GROUNDS.dark.page}; --card: ${GROUNDS.dark.card}; --text: #e9ebef; --muted: #9da6b4; --line: #2a303a;
  ${variables('dark', 'darkBar')} --glyph: #0e1116;
  --accent: var(--text); --link: var(--text); color-scheme: dark;`;

/** Returns the variables with the colors of all statuses and of their bars. */
function variables(text: 'light' | 'dark', bar: 'lightBar' | 'darkBar'): string {
  return LOOKS.map(
    (look) => `--${look}: ${STATUS_COLORS[look][text]}; --bar-${look}: ${STATUS_COLORS[look][bar]};`,
  ).join(' ');
}

/** Returns style rules that set variables for the light and for the dark theme. */
export function themed(light: string, dark: string): string {
  return `:root { ${light} }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { ${dark} } }
:root[data-theme="dark"] { ${dark} }`;
}

/** Style rules with the colors of both themes and of all statuses. */
export const COLOR_STYLES = `
${themed(LIGHT, DARK)}
${LOOKS.map((look) => `.is-${look} { --status: var(--${look}); --bar: var(--bar-${look}); }`).join('\n')}`;

/** Media query of the screens on which bars show fewer days. */
export const NARROW_SCREEN = '(max-width: 36rem)';

/** Style sheet of all public pages. Text has a contrast ratio of at least 4.5 to its background. */
export const STYLES = `
${COLOR_STYLES}
${LOOKS.map((look) => `.is-solid.is-${look} { --solid: ${STATUS_COLORS[look].light}; }`).join('\n')}

*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; border-top: 4px solid var(--accent); overflow-wrap: break-word; }
.page { max-width: 52rem; margin: 0 auto; padding: clamp(1.25rem, 4vw, 2.25rem) 1rem 3rem; }
h1, h2, h3, h4, p, ul, ol { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: 1.375rem; line-height: 1.25; letter-spacing: -.01em; }
h2 { font-size: 1.0625rem; margin-bottom: .75rem; }
h3, h4 { font-size: 1.0625rem; line-height: 1.35; }
a { color: var(--link); text-underline-offset: .15em; }
:is(h1, h2, h3, h4, .muted) a { color: inherit; text-decoration-color: var(--muted); text-decoration-thickness: 1px; }
.below { margin-top: 1.5rem; }
.months { display: flex; justify-content: space-between; gap: 1rem; margin-top: 1.5rem; }
.muted { color: var(--muted); font-size: .9375rem; }
.prose { max-width: 70ch; }
[dir=rtl] .prose:dir(ltr), [dir=ltr] .prose:dir(rtl) { max-width: none; }
.prose > * + * { margin-top: .625rem; }
.prose :is(ul, ol) { padding-inline-start: 1.375rem; }
.prose ul { list-style: disc; }
.prose ol { list-style: decimal; }
.prose .plain { white-space: pre-line; }
.prose code { padding: .0625rem .25rem; border-radius: .25rem; background: var(--ground); font: .875em ui-monospace, monospace; }
.prose pre { margin-bottom: 0; padding: .625rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--ground); overflow-x: auto; }
.prose pre code { padding: 0; }
.muted.prose a { color: inherit; }
.brand { display: flex; align-items: center; flex-wrap: wrap; gap: .5rem .875rem; }
.brand h1 { min-width: 0; }
.head .prose { margin-top: .375rem; }
.logo { display: block; height: 2.5rem; width: auto; max-width: min(16rem, 60vw); object-fit: contain; }
.for-dark { display: none; }
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) .for-light { display: none; }
  :root:not([data-theme="light"]) .for-dark { display: block; }
}
:root[data-theme="dark"] .for-light { display: none; }
:root[data-theme="dark"] .for-dark { display: block; }

.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.banner { display: flex; align-items: center; gap: 1rem; margin-top: 1.5rem; padding: 1.125rem 1.25rem; border-color: color-mix(in srgb, var(--status) 45%, var(--card)); background: color-mix(in srgb, var(--status) 10%, var(--card)); }
.banner .icon { width: 2rem; height: 2rem; }
.headline { margin: 0; font-size: 1.25rem; line-height: 1.3; letter-spacing: -.01em; }
.is-solid { background: var(--solid); border-color: var(--solid); color: #fff; --status: #fff; --glyph: var(--solid); }
.is-solid.banner .icon { color: #fff; }
.as-of { margin-top: 1.5rem; padding: .875rem 1.25rem; border-style: dashed; }
.section { margin-top: 2rem; }
.over { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0 1rem; margin-bottom: .75rem; }
.over h2 { margin: 0; }
.empty { padding: 1rem 1.25rem; }
.day { margin: 1.25rem 0 .5rem; color: var(--muted); font-size: .9375rem; font-weight: 550; }
h2 + .day { margin-top: 0; }

.shapes { position: absolute; }
.icon { flex: none; color: var(--status); vertical-align: -.2em; }
symbol path { fill: none; stroke: var(--glyph); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
symbol .solid { fill: currentColor; stroke: none; }
.status { display: inline-flex; align-items: baseline; gap: .4375rem; color: var(--status); font-size: .9375rem; font-weight: 600; }
.status .icon { align-self: center; width: 1.0625rem; height: 1.0625rem; }

.section > .card + .card { margin-top: .75rem; }
.entries > li + li { border-top: 1px solid var(--line); }
.component { display: grid; grid-template-columns: minmax(31%, 1fr) fit-content(64%); align-items: baseline; gap: 0 .75rem; padding: .875rem 1.25rem 1rem; }
.component .muted, .bars, .scale { grid-column: 1 / -1; }
.name { font-weight: 500; min-width: 0; }
a.name { justify-self: start; max-width: 100%; color: inherit; text-decoration: none; }
a.name:hover { text-decoration: underline; text-decoration-thickness: 1px; }
.component .prose { font-size: .875rem; }
summary { cursor: pointer; }
.group > summary { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 .75rem; padding: .875rem 1.25rem; border-radius: .75rem; }
.group > summary::-webkit-details-marker { display: none; }
.group > summary .name { font-size: 1rem; font-weight: 650; }
.group > summary .name::before { content: ""; display: inline-block; width: .4375rem; height: .4375rem; margin-block: 0 .125rem; margin-inline: 0 .625rem; border: solid var(--muted); border-width: 0 2px 2px 0; transform: rotate(-45deg); }
[dir=rtl] .group > summary .name::before { transform: rotate(135deg); }
:root .group[open] > summary .name::before { transform: rotate(45deg); }
.group > .entries { border-top: 1px solid var(--line); }

.bars { margin-top: .625rem; overflow: hidden; border-radius: .25rem; }
.bars svg { display: block; width: 100%; height: 1.75rem; -webkit-mask: linear-gradient(90deg, #000 72%, #0000 72%) 0 / calc(100% / 90) 100% round; mask: linear-gradient(90deg, #000 72%, #0000 72%) 0 / calc(100% / 90) 100% round; }
.bars path { fill: var(--bar); }
[dir=rtl] .bars svg { transform: scaleX(-1); }
.bars:focus-within { outline: 2px solid var(--text); outline-offset: 3px; }
.bars svg:focus { outline: none; }
.bars:has(svg:focus:not(:focus-visible)) { outline: none; }
.component .scale { display: flex; justify-content: space-between; margin-top: .25rem; font-size: .8125rem; }
.rule { margin-top: .75rem; font-size: .875rem; }
.rule p { margin-top: .375rem; max-width: 70ch; }
.tip { position: absolute; z-index: 1; transform: translate(-50%, -100%); width: max-content; max-width: 18rem; padding: .5rem .75rem; border-radius: .5rem; background: var(--text); color: var(--ground); font-size: .8125rem; line-height: 1.45; white-space: pre-line; pointer-events: none; }
.tip.is-under { transform: translate(-50%); }
.tip::first-line { font-weight: 650; }

.disruption { padding: 1rem 1.25rem 1.125rem; border-top: 4px solid var(--status); }
.disruption + .disruption { margin-top: .75rem; }
.disruption.is-over { border-top: 1px solid var(--line); }
.affected { display: flex; flex-wrap: wrap; gap: .125rem 1.25rem; margin-top: .5rem; font-weight: 550; font-size: .9375rem; overflow-wrap: anywhere; }
.affected .icon { width: 1rem; height: 1rem; }
.affected .muted { font-weight: 400; }
.latest { margin-top: .75rem; }
.earlier { margin-top: .75rem; }
time { white-space: nowrap; unicode-bidi: isolate; }
.timeline { margin-block-start: .75rem; margin-inline-start: .375rem; border-inline-start: 2px solid var(--line); }
.timeline li { position: relative; padding: 0 0 1rem; padding-inline-start: 1.125rem; }
.timeline li:last-child { padding-bottom: 0; }
.timeline li::before { content: ""; position: absolute; inset-block-start: .5rem; inset-inline-start: -.375rem; width: .625rem; height: .625rem; border-radius: 50%; background: var(--muted); box-shadow: 0 0 0 3px var(--card); }

.themes { display: flex; flex: none; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
.themes[hidden] { display: none; }
.themes button { border: 0; border-radius: .4375rem; background: none; color: var(--muted); font: inherit; font-size: .875rem; padding: .25rem .625rem; cursor: pointer; }
.themes button[aria-pressed="true"] { color: var(--text); background: var(--line); }
:focus-visible { outline: 2px solid var(--text); outline-offset: 2px; }
.subscribe { display: flex; flex: 1 1 100%; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; margin-block-end: .5rem; font-size: .9375rem; }
.subscribe input, .subscribe button { border: 1px solid var(--muted); border-radius: .5rem; background: var(--card); color: var(--text); font: inherit; font-size: 1rem; padding: .4375rem .75rem; }
.subscribe input { flex: 1 1 12rem; min-width: 0; max-width: 24rem; }
.subscribe button { background: var(--text); border-color: var(--text); color: var(--ground); font-weight: 600; cursor: pointer; }
.problem { color: var(--major_outage); font-weight: 600; }
.foot { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem; margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.lost { padding: 15vh 0; text-align: center; }
.lost p { margin-top: .75rem; }

@media ${NARROW_SCREEN} {
  .component, .group > summary { padding-inline: 1rem; }
  .subscribe label { flex-basis: 100%; }
  .bars svg { width: 300%; margin-inline-start: -200%; }
  [data-narrow] { font-size: 0; }
  [data-narrow]::after { content: attr(data-narrow); font-size: .8125rem; }
}
@media (max-width: 22rem) {
  .page { padding-inline: .75rem; }
  .component, .group > summary { padding-inline: .75rem; }
}
@media (forced-colors: active) {
  :root { --glyph: Canvas; }
  .banner, .disruption { border: 2px solid CanvasText; }
  .is-solid { --glyph: Canvas; }
  .is-solid.banner .icon { color: CanvasText; }
  .bars { forced-color-adjust: none; }
  .themes button[aria-pressed="true"] { outline: 2px solid; outline-offset: -2px; }
}
@media print {
  :root:root:root { ${LIGHT} --ground: #fff; --text: #000; --muted: #333; --accent: #000; --link: #000; }
  body { border: 0; }
  .page { max-width: none; padding: 0; }
  .is-solid { background: #fff; color: #000; border: 2px solid #000; --status: #000; --glyph: #fff; }
  .is-solid.banner .icon { color: #000; }
  .banner { background: #fff; }
  .card { break-inside: avoid; }
  .group { break-inside: auto; }
  .bars { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .themes, .tip, .rule, .subscribe { display: none; }
}
`;
