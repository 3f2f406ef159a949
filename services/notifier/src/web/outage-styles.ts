const LIGHT = `
  --ground: #f4f5f7; --card: #fff; --text: #15181e; --muted: #586170; --line: #e0e4ea; --field: #fff;
  --bad: #b42318; --good: #15803d; --quiet: #475467; --warning: #b54708; --accent: #1d4ed8; --on: #fff;
  color-scheme: light;`;

const DARK = `
  --ground: #0d1015; --card: #161a21; --text: #eceef2; --muted: #a0a9b8; --line: #2a313c; --field: #0d1015;
  --bad: #f97066; --good: #47cd89; --quiet: #98a2b3; --warning: #fdb022; --accent: #84adff; --on: #0d1015;
  color-scheme: dark;`;

/** Style sheet of outage pages. The contrast ratio of text is at least 4.5. */
export const STYLES = `
:root { ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 40rem; margin: 0 auto; padding: 1rem 1rem 3rem; }
h1, h2, p, ul, ol, dl, dd { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
h2 { font-size: 1.0625rem; margin: 2rem 0 .625rem; }
a { color: var(--accent); }
time { white-space: nowrap; }
.muted { color: var(--muted); font-size: .9375rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem 1.125rem; }
.is-bad { --tone: var(--bad); } .is-good { --tone: var(--good); } .is-quiet { --tone: var(--quiet); }
.is-warning { --tone: var(--warning); } .is-accent { --tone: var(--accent); }
.hero { border-top: .375rem solid var(--tone); padding: 1.125rem; }
.state { display: inline-flex; align-items: center; gap: .5rem; margin-bottom: .5rem; padding: .125rem .75rem; border-radius: 1rem; background: var(--tone); color: var(--on); font-size: .875rem; font-weight: 650; }
.since { margin-top: .5rem; }
.reason { margin-top: 1rem; padding: .75rem .875rem; border-radius: .5rem; background: var(--ground); font: .9375rem/1.5 ui-monospace, monospace; white-space: pre-wrap; }
.details { display: grid; gap: .5rem; margin-top: 1rem; }
.details dt { color: var(--muted); font-size: .875rem; }
.handled { display: flex; gap: .625rem; margin-top: 1rem; border-inline-start: .25rem solid var(--good); }
details { margin-top: 1rem; }
summary, button { display: block; width: 100%; min-height: 2.75rem; padding: .625rem 1rem; border: 0; border-radius: .5rem; background: var(--accent); color: var(--on); font: inherit; font-weight: 650; text-align: center; cursor: pointer; }
summary { list-style: none; }
summary::-webkit-details-marker { display: none; }
details[open] > summary { background: none; color: var(--muted); font-weight: 450; }
label { display: block; margin-bottom: .25rem; font-size: .9375rem; }
input { width: 100%; min-height: 2.75rem; margin-bottom: .75rem; padding: .5rem .75rem; border: 1px solid var(--muted); border-radius: .5rem; background: var(--field); color: inherit; font: inherit; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.list > li { display: grid; gap: .125rem; padding: .75rem 1.125rem; }
.list > li + li { border-top: 1px solid var(--line); }
.list { padding: 0; }
.row { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; }
.mark { color: var(--tone); font-weight: 600; }
.regions { display: grid; gap: .25rem; margin-top: .25rem; }
.regions .why { color: var(--muted); font-size: .9375rem; }
footer { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid var(--line); }
footer p + p { margin-top: .25rem; }
.question > * + * { margin-top: 1rem; }
button.second { border: 1px solid var(--muted); background: none; color: inherit; font-weight: 450; }
.lost { padding-top: 15vh; text-align: center; }
.lost p { margin-top: .75rem; }
@media print { body { background: #fff; } details { display: none; } }
`;
