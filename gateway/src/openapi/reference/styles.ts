import { LANGUAGES } from './samples/samples.ts';

const LIGHT = `
  --ground: #fff; --side: #f6f7f9; --card: #f6f7f9; --text: #171a21; --muted: #596270; --line: #e1e5eb; --link: #1d4ed8;
  --get: #1d4ed8; --post: #15803d; --put: #a16207; --patch: #7e22ce; --delete: #b91c1c;
  --key: #1d4ed8; --string: #15803d; --literal: #a1480b;
  color-scheme: light;`;

const DARK = `
  --ground: #0e1116; --side: #12161d; --card: #171b22; --text: #e9ebef; --muted: #9da6b4; --line: #2a303a; --link: #8ab4ff;
  --get: #7cb0ff; --post: #4ade80; --put: #facc15; --patch: #d09bff; --delete: #f87171;
  --key: #8ab4ff; --string: #6ee7a0; --literal: #fdba74;
  color-scheme: dark;`;

const SAMPLES = LANGUAGES.map(({ id }) => id);

/** Style sheet of the documentation. Text colors have a contrast ratio of at least 4.5 to their background. */
export const STYLES = `
:root { ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }

*, ::before, ::after { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1, h2, h3, p, ul, dl, dd, figure, fieldset, pre { margin: 0; padding: 0; }
ul { list-style: none; }
a { color: var(--link); text-decoration: none; }
a:hover, main p a, .type a { text-decoration: underline; }
a:not([href]) { color: inherit; text-decoration: none; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre { font: .875em/1.55 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
p code, dd code { padding: .1em .3em; border-radius: .25rem; background: var(--card); }
h1 { font-size: clamp(1.625rem, 5vw, 2.125rem); line-height: 1.2; letter-spacing: -.02em; }
h2 { font-size: 1.1875rem; line-height: 1.35; }
h2 a { color: inherit; }
.operation h3 { margin: 1.5rem 0 .25rem; color: var(--muted); font-size: .8125rem; font-weight: 650; letter-spacing: .04em; text-transform: uppercase; }
.muted { color: var(--muted); }
.hidden { position: absolute; overflow: hidden; width: 1px; height: 1px; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--ground); }

.search:empty { display: none; }
.search { padding: .75rem 1rem 0; background: var(--side); }
.search input { width: 100%; padding: .4375rem .625rem; border: 1px solid var(--muted); border-radius: .375rem; background: var(--ground); color: inherit; font: inherit; font-size: .9375rem; }
.search.empty input { border-style: dashed; }
.search ul { position: absolute; z-index: 1; left: 1rem; right: 1rem; max-width: 34rem; max-height: 70vh; margin-top: .25rem; padding: .375rem; overflow-y: auto; border: 1px solid var(--line); border-radius: .5rem; background: var(--ground); box-shadow: 0 .5rem 1.5rem #0004; }
.search li a { display: block; padding: .375rem .5rem; border-radius: .375rem; color: var(--text); line-height: 1.35; }
.search li a:is(:hover, :focus) { background: var(--side); text-decoration: none; }
.search b { display: block; font-size: .9375rem; font-weight: 600; }
.search span { color: var(--muted); font-size: .8125rem; }

.side { display: none; }
.side, .menu { background: var(--side); font-size: .9375rem; }
.brand { padding: 1.25rem .625rem 0; font-weight: 700; }
.brand a { color: inherit; }
.menu { border-bottom: 1px solid var(--line); }
.menu > summary { padding: .875rem 1rem; color: var(--text); font-size: 1rem; font-weight: 650; }
nav h2 { margin: 1.25rem 0 .25rem; padding: 0 .625rem; font-size: .9375rem; letter-spacing: 0; }
nav { padding: 0 .5rem 1.5rem; }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .3125rem .625rem; border-radius: .375rem; color: var(--text); line-height: 1.35; }
nav li a:hover, nav [aria-current] { background: var(--line); text-decoration: none; }
nav [aria-current] { font-weight: 650; }
nav ul ul { margin-block: .125rem .5rem; font-size: .875rem; }
nav .method { width: 3.25em; }

main { min-width: 0; padding: 2rem 1rem 4rem; }
.intro { max-width: 46rem; }
.intro > * + * { margin-top: .75rem; }
.intro h2 { margin-top: 2.75rem; font-size: 1.25rem; }
.operations { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1.5rem 2rem; }
.operations h3 { font-size: 1.0625rem; }
.operations p { color: var(--muted); font-size: .875rem; }
.operations li a { display: flex; gap: .5rem; align-items: baseline; padding: .1875rem 0; color: var(--text); font-size: .9375rem; }
.operations .method { width: 3.25em; }
.operations :target { outline: 2px solid var(--link); outline-offset: 2px; }
main > .muted { margin-top: 2.5rem; }

.method { display: inline-block; flex: none; font: 700 .75rem/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; color: var(--method); }
.call .method { margin-inline-end: .375rem; padding: .125rem .4375rem; border: 1px solid currentColor; border-radius: .3125rem; }
${['get', 'post', 'put', 'patch', 'delete'].map((method) => `.${method} { --method: var(--${method}); }`).join('\n')}
.operation { display: grid; gap: 1.25rem; margin-top: 2.25rem; padding-top: 2.25rem; border-top: 1px solid var(--line); }
.operation:target h2 a { text-decoration: underline; text-decoration-thickness: 2px; text-underline-offset: .25em; }
.objects { max-width: 46rem; margin-top: 3.5rem; padding-top: 2.25rem; border-top: 1px solid var(--line); }
.object { margin-top: 1.75rem; }
.object h3 { margin-bottom: .25rem; font-size: 1.0625rem; }
.object h3 a { color: inherit; }
.object:target h3 a { text-decoration: underline; text-decoration-thickness: 2px; text-underline-offset: .25em; }
.said, .shown { min-width: 0; }
.call { margin-top: .5rem; line-height: 1.9; }
.call code { padding: 0; background: none; font-size: .9375em; }
.facts { display: flex; flex-wrap: wrap; gap: .5rem 1.75rem; margin-top: .75rem; font-size: .875rem; }
.facts dt { color: var(--muted); font-size: .8125rem; }

.fields > li { padding: .625rem 0; }
.fields > li + li { border-top: 1px solid var(--line); }
.field { display: flex; flex-wrap: wrap; gap: 0 .625rem; align-items: baseline; }
.fields .name { font-weight: 650; }
.type, .fields p, .responses p { color: var(--muted); font-size: .875rem; }
.fields p { margin-top: .125rem; }
.fields p code { color: var(--text); }
.choices code { margin-inline-end: .125rem; }
.required { color: var(--delete); font-size: .75rem; font-weight: 650; }
.fields .fields { padding-inline-start: .875rem; border-inline-start: 2px solid var(--line); }
details > summary { color: var(--link); font-size: .875rem; cursor: pointer; padding: .1875rem 0; }
.responses > li { display: flex; gap: .75rem; align-items: baseline; padding: .25rem 0; }
.responses > li > div { flex: 1; min-width: 0; }
.status { font: 700 .8125rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; color: var(--status); }
.s2, .s3 { --status: var(--post); } .s4 { --status: var(--put); } .s5 { --status: var(--delete); }

figure { border: 1px solid var(--line); border-radius: .5rem; background: var(--card); overflow: hidden; }
figure, .code { position: relative; }
figure + figure { margin-top: 1rem; }
figcaption, fieldset { padding: .4375rem .875rem; border-bottom: 1px solid var(--line); color: var(--muted); font-size: .8125rem; font-weight: 650; }
pre { padding: .75rem .875rem; scrollbar-width: thin; max-height: 32rem; overflow: auto; font-size: .8125rem; overflow-wrap: normal; }
pre code { font-size: 1em; }
.key { color: var(--key); } .string { color: var(--string); } .literal { color: var(--literal); }
.samples fieldset { display: flex; flex-wrap: wrap; gap: 0 .875rem; border-width: 0 0 1px; padding-inline-end: 4.5rem; }
.samples legend { position: absolute; clip-path: inset(50%); }
.samples label { min-height: 1.75rem; display: flex; gap: .25rem; align-items: center; cursor: pointer; }
.samples input { margin: 0; accent-color: var(--link); }
.samples pre + pre { border-top: 1px solid var(--line); }
@supports selector(:has(*)) {
  .samples pre { display: none; border: 0; }
${SAMPLES.map((id) => `  .samples:has([value=${id}]:checked) .sample-${id} { display: block; }`).join('\n')}
}
.copy { position: absolute; top: .3125rem; inset-inline-end: .5rem; padding: .0625rem .5rem; border: 1px solid var(--line); border-radius: .3125rem; background: var(--ground); color: var(--text); font: 500 .75rem/1.5 system-ui, sans-serif; cursor: pointer; }
.copy:hover { border-color: var(--muted); }
.errors pre { margin-top: .5rem; border-radius: .5rem; background: var(--card); }
.errors > li { padding: .875rem 0; }
.errors > li + li { border-top: 1px solid var(--line); }
.errors code { background: none; padding: 0; }

.guide { max-width: 52rem; }
.guide > * + * { margin-top: .875rem; }
.guide h2, .guide h3 { margin-top: 2.25rem; }
.guide h2 { font-size: 1.25rem; }
.guide ul { padding-inline-start: 1.25rem; list-style: disc; }
.guide pre { border: 1px solid var(--line); border-radius: .5rem; background: var(--card); max-height: none; }
.guide table { display: block; overflow-x: auto; border-collapse: collapse; font-size: .875rem; overflow-wrap: normal; }
.guide th, .guide td { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }

@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 17.5rem minmax(0, 1fr); }
  .search { position: fixed; z-index: 2; top: 0; left: 0; width: 17.5rem; padding: 1rem 1rem .5rem; border-inline-end: 1px solid var(--line); }
  .search ul { left: 1rem; right: auto; width: 34rem; }
  .search:not(:empty) ~ .side { padding-top: 3.25rem; }
  .side { display: block; position: sticky; top: 0; height: 100vh; overflow-y: auto; scrollbar-width: thin; border-inline-end: 1px solid var(--line); }
  .menu { display: none; }
  main { padding: 3rem 2.5rem 6rem; max-width: 84rem; }
  .operation { grid-template-columns: minmax(0, 1fr) minmax(0, 25rem); gap: 2.5rem; }
  .shown { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow: auto; }
}
@media print { .side, .menu, .search, .copy { display: none; } body { display: block; } pre { max-height: none; } }
`;
