const LIGHT = `
  --ground: #f4f5f7; --card: #fff; --text: #15181e; --muted: #586170; --line: #e0e4ea; --field: #fff;
  --bad: #b42318; --good: #15803d; --accent: #1d4ed8; --on: #fff;
  color-scheme: light;`;

const DARK = `
  --ground: #0d1015; --card: #161a21; --text: #eceef2; --muted: #a0a9b8; --line: #2a313c; --field: #0d1015;
  --bad: #f97066; --good: #47cd89; --accent: #84adff; --on: #0d1015;
  color-scheme: dark;`;

/**
 * Style sheet of the account pages. Its colors are those of the notifier's outage pages. Text has a contrast ratio of
 * at least 4.5:1.
 */
export const STYLES = `
:root { ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; border-top: 4px solid var(--accent); overflow-wrap: anywhere; }
.page { max-width: 44rem; margin: 0 auto; padding: 1rem 1rem 3rem; }
.narrow { max-width: 28rem; padding-top: min(10vh, 5rem); }
h1, h2, h3, p, ul, ol, dl, dd, fieldset { margin: 0; padding: 0; }
ul { list-style: none; }
fieldset { border: 0; min-width: 0; }
h1 { font-size: 1.375rem; line-height: 1.25; letter-spacing: -.01em; }
h2 { font-size: 1.0625rem; line-height: 1.35; }
a { color: var(--accent); text-underline-offset: .15em; }
time { white-space: nowrap; }
.muted { color: var(--muted); font-size: .9375rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.125rem; }
[hidden] { display: none; }
.card > * + *, form > * + *, .stack > * + * { margin-top: .875rem; }
.page > * + * { margin-top: 1.25rem; }
main > section:not(:first-child) { margin-top: 1.75rem; }
.top { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .25rem 1rem; }
.top .product { font-weight: 650; color: inherit; text-decoration: none; }
.top form { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; }
.top form > * { margin: 0; }
.tabs { display: flex; flex-wrap: wrap; gap: 0 .25rem; margin: 0 -.5rem; border-bottom: 1px solid var(--line); }
.tabs a { display: block; padding: .625rem min(.5rem, .8vw); font-size: min(1rem, 3.7vw); color: var(--muted); text-decoration: none; border-bottom: 2px solid transparent; margin-bottom: -1px; }
.tabs a[aria-current] { color: var(--text); border-color: var(--accent); }
.tabs a:hover { color: var(--text); }
label, legend { display: block; padding: 0; font-size: .9375rem; font-weight: 550; }
fieldset label { font-weight: 400; }
.hint { margin: .25rem 0 0; color: var(--muted); font-size: .875rem; font-weight: 400; }
input:not([type=checkbox], [type=radio]), select { display: block; width: 100%; min-height: 2.75rem; margin-top: .25rem; padding: .5rem .75rem; border: 1px solid var(--muted); border-radius: .5rem; background: var(--field); color: inherit; font: inherit; }
input[aria-invalid] { border-color: var(--bad); }
.choice { display: flex; align-items: baseline; gap: .625rem; min-height: 2.25rem; font-weight: 400; }
.choice input { flex: none; width: 1.125rem; height: 1.125rem; margin: 0; accent-color: var(--accent); transform: translateY(.15rem); }
button, .button { display: block; width: 100%; min-height: 2.75rem; padding: .625rem 1rem; border: 1px solid var(--accent); border-radius: .5rem; background: var(--accent); color: var(--on); font: inherit; font-weight: 650; text-align: center; text-decoration: none; cursor: pointer; }
button.second { border-color: var(--muted); background: none; color: inherit; font-weight: 500; }
button.danger { border-color: var(--bad); background: none; color: var(--bad); font-weight: 550; }
button.plain { width: auto; min-height: 0; padding: .25rem 0; border: 0; background: none; color: var(--accent); font-weight: 450; text-decoration: underline; text-underline-offset: .15em; }
.buttons { display: grid; gap: .625rem; }
.notice { padding: .75rem .875rem; border: 1px solid var(--line); border-inline-start: .25rem solid var(--good); border-radius: .5rem; background: var(--card); }
.notice.is-bad { border-inline-start-color: var(--bad); }
.list-card { padding: 0; }
.list > li { display: grid; gap: .375rem; padding: .875rem 1.125rem; }
.list > li + li { border-top: 1px solid var(--line); }
.row { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .375rem 1rem; }
.name { font-weight: 550; }
.mark { display: inline-block; padding: 0 .5rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--muted); font-size: .8125rem; font-weight: 500; }
.secret { display: block; padding: .75rem .875rem; border-radius: .5rem; background: var(--ground); font: .9375rem/1.5 ui-monospace, monospace; user-select: all; }
.codes { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .25rem 1rem; padding: .75rem .875rem; border-radius: .5rem; background: var(--ground); font: .9375rem/1.6 ui-monospace, monospace; }
/* Cameras need dark squares on a light background, in both themes. */
.qr svg { display: block; width: 13rem; max-width: 100%; border-radius: .5rem; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
details > summary { cursor: pointer; color: var(--accent); }
details > summary ~ * { margin-top: .875rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (min-width: 36rem) {
  .inline { display: flex; flex-wrap: wrap; align-items: end; gap: .625rem; }
  .inline > * { margin-top: 0; }
  .inline > .grow { flex: 1 1 12rem; }
  .inline button, .row button { width: auto; }
}
@media print { body { background: #fff; border: 0; } }
`;
