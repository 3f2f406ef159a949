const LIGHT = `
  --ground: #f6f7f9; --card: #fff; --text: #171a21; --muted: #596270; --line: #e1e5eb;
  --operational: #15803d; --under_maintenance: #1d4ed8; --degraded_performance: #a16207;
  --partial_outage: #c2410c; --major_outage: #b91c1c; --unknown: #596270; --glyph: #fff;
  color-scheme: light;`;

const DARK = `
  --ground: #0e1116; --card: #171b22; --text: #e9ebef; --muted: #9da6b4; --line: #2a303a;
  --operational: #4ade80; --under_maintenance: #7cb0ff; --degraded_performance: #facc15;
  --partial_outage: #fb923c; --major_outage: #f87171; --unknown: #9da6b4; --glyph: #0e1116;
  color-scheme: dark;`;

const STATUSES = [
  'operational',
  'under_maintenance',
  'degraded_performance',
  'partial_outage',
  'major_outage',
  'unknown',
];

/** Style sheet of all public pages. Text has a contrast ratio of at least 4.5 to its background. */
export const STYLES = `
:root { --accent: var(--text); ${LIGHT} }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { ${DARK} } }
:root[data-theme="dark"] { ${DARK} }
${STATUSES.map((status) => `.is-${status} { --status: var(--${status}); }`).join('\n')}

*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; border-top: 4px solid var(--accent); overflow-wrap: break-word; }
.page { max-width: 46rem; margin: 0 auto; padding: clamp(1.25rem, 5vw, 3rem) 1rem 3rem; }
h1, h2, h3, p, ul, ol { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: clamp(1.5rem, 5vw, 2rem); line-height: 1.2; letter-spacing: -.015em; }
h2 { font-size: 1.125rem; margin-bottom: .75rem; }
h3 { font-size: 1.0625rem; }
.muted { color: var(--muted); font-size: .9375rem; }
.prose { white-space: pre-line; }
.head { display: flex; align-items: flex-start; justify-content: space-between; gap: 1rem; }
.head .prose { margin-top: .5rem; max-width: 60ch; }
.logo { display: block; max-height: 3rem; max-width: min(16rem, 70%); margin-bottom: 1rem; }
.for-dark { display: none; }
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) .for-light { display: none; }
  :root:not([data-theme="light"]) .for-dark { display: block; }
}
:root[data-theme="dark"] .for-light { display: none; }
:root[data-theme="dark"] .for-dark { display: block; }

.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.banner { display: flex; align-items: center; gap: .875rem; margin-top: 1.75rem; padding: 1.125rem 1.25rem; border-color: var(--status); background: color-mix(in srgb, var(--status) 10%, var(--card)); font-size: 1.1875rem; font-weight: 650; }
.banner .icon { width: 1.75rem; height: 1.75rem; }
.as-of { margin-top: 1.75rem; padding: .875rem 1.25rem; border-style: dashed; }
.section { margin-top: 2.25rem; }
.empty { padding: 1rem 1.25rem; }

.icon { flex: none; color: var(--status); vertical-align: -.2em; }
.icon path { fill: none; stroke: var(--glyph); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.icon .solid { fill: currentColor; stroke: none; }
.status { display: inline-flex; align-items: center; gap: .4375rem; color: var(--status); font-size: .9375rem; font-weight: 550; white-space: nowrap; }
.status .icon { width: 1.0625rem; height: 1.0625rem; }

.entries > li + li { border-top: 1px solid var(--line); }
.component, summary { display: flex; align-items: flex-start; justify-content: space-between; gap: .25rem 1.25rem; padding: .875rem 1.25rem; }
.what { min-width: 0; }
.name { font-weight: 550; }
summary { cursor: pointer; border-radius: .75rem; }
summary::-webkit-details-marker { display: none; }
summary .name::before { content: ""; display: inline-block; width: .4375rem; height: .4375rem; margin: 0 .625rem .125rem 0; border: solid var(--muted); border-width: 0 2px 2px 0; transform: rotate(-45deg); }
details[open] > summary .name::before { transform: rotate(45deg); }
details > .entries { border-top: 1px solid var(--line); }
details > .entries .component { padding-inline-start: 2.3125rem; }
details > .entries .name { font-weight: 450; }

.disruption { padding: 1.125rem 1.25rem 1.25rem; border-inline-start: 4px solid var(--accent); }
.disruption.is-over { border-inline-start: 1px solid var(--line); }
.disruption + .disruption { margin-top: .875rem; }
.affected { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .75rem; }
.affected li { display: flex; flex-wrap: wrap; gap: 0 .625rem; padding: .1875rem .75rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .9375rem; }
time { white-space: nowrap; }
.timeline { margin: 1.125rem 0 0 .25rem; border-inline-start: 2px solid var(--line); }
.timeline li { position: relative; padding: 0 0 1rem 1.125rem; }
.timeline li:last-child { padding-bottom: 0; }
.timeline li::before { content: ""; position: absolute; inset: .5rem auto auto -.375rem; width: .625rem; height: .625rem; border-radius: 50%; background: var(--muted); box-shadow: 0 0 0 3px var(--card); }

.themes { display: flex; flex: none; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
.themes[hidden] { display: none; }
.themes button { border: 0; border-radius: .4375rem; background: none; color: var(--muted); font: inherit; font-size: .875rem; padding: .25rem .625rem; cursor: pointer; }
.themes button[aria-pressed="true"] { color: var(--text); background: var(--line); }
:focus-visible { outline: 2px solid var(--text); outline-offset: 2px; }
.foot { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .25rem 1rem; margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.lost { padding: 15vh 0; text-align: center; }
.lost p { margin-top: .75rem; }

@media (max-width: 30rem) {
  .component, summary { flex-wrap: wrap; padding-inline: 1rem; }
  .themes { order: -1; }
  .head { flex-wrap: wrap; }
}
@media print { body { border: 0; background: #fff; } .themes { display: none; } }
`;
