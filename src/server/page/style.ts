/**
 * The page's style sheet: system fonts, light and dark, one column on a phone.
 *
 * @module
 */

/** CSS text. */
export const STYLE = `
:root { color-scheme: light dark;
  --ground: #fbfbf9; --panel: #fff; --ink: #1d2326; --soft: #5a666c; --line: #d9dedf;
  --accent: #0b6e4f; --up: #0b6bb3; --down: #b85c00; --path: #e5f2ec; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #14181a; --panel: #1c2225; --ink: #e8ecec; --soft: #a3b0b5; --line: #364146;
  --accent: #58c79b; --up: #6db7f2; --down: #f0a35e; --path: #1f3b31; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
a { color: var(--accent); }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: .5rem; background: var(--panel); padding: .5rem; }
header, main, footer { max-width: 74rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 1.25rem; }
h1 { font-size: 1.6rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 0 0 .75rem; }
.soft { color: var(--soft); }
small, .small { font-size: .875rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; margin: .5rem 0 0; list-style: none; }
nav a[aria-current] { font-weight: 600; color: var(--ink); text-decoration: none; }
main { display: grid; grid-template-columns: minmax(0, 22rem) minmax(0, 1fr); gap: 1rem;
  padding-top: 1rem; align-items: start; }
@media (max-width: 48rem) { main { grid-template-columns: minmax(0, 1fr); } }
section, form { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; }
#results { display: grid; gap: 1rem; background: none; border: 0; padding: 0; min-width: 0; }
.fields { display: grid; gap: .6rem; }
label { display: block; font-size: .875rem; font-weight: 600; overflow-wrap: anywhere; }
input, select, button { font: inherit; color: inherit; background: var(--ground);
  border: 1px solid var(--line); border-radius: .35rem; padding: .4rem .5rem; width: 100%; min-height: 2.5rem; }
input[type=range] { padding: 0; accent-color: var(--accent); min-height: 2rem; }
button { background: var(--accent); color: var(--panel); border-color: var(--accent); font-weight: 600; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
input[aria-invalid=true] { border-color: var(--bad); }
.problem { color: var(--bad); font-size: .875rem; }
.actions { position: sticky; bottom: -1rem; background: var(--panel); border-top: 1px solid var(--line);
  padding: .75rem 0 1rem; margin: .75rem 0 -1rem; }
@media (min-width: 48.01rem) and (min-height: 30rem) { main > form { position: sticky; top: 1rem;
  max-height: calc(100vh - 2rem); overflow-y: auto; } }
.headline { font-size: 2rem; line-height: 1.2; font-weight: 650; margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
table + table { margin-top: 1rem; }
.value { display: block; line-height: 1.2; }
.row input[type=number] { max-width: 9rem; }
.headline + table { margin-top: .75rem; }
caption { text-align: left; color: var(--soft); font-size: .875rem; padding-bottom: .4rem; }
th, td { text-align: left; padding: .2rem .5rem .2rem 0; vertical-align: middle; font-weight: 400; overflow-wrap: anywhere; }
tbody th { min-width: 7.5rem; }
@media (max-width: 30rem) {
  .shares { font-size: .8125rem; } .shares th, .shares td { padding-right: .25rem; }
  .shares tbody th { min-width: 6.5rem; } .shares td.bar { width: 25%; min-width: 2.5rem; } }
thead th { color: var(--soft); font-size: .8125rem; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.bar { width: 40%; min-width: 5rem; padding-right: .75rem; }
@media (min-width: 48.01rem) { td.bar { width: 55%; } }
tr.total th, tr.total td { border-top: 1px solid var(--line); font-weight: 600; }
tr.current th { font-weight: 650; }
svg { display: block; overflow: visible; }
.up { fill: var(--up); } .down { fill: var(--down); } .neutral { fill: var(--accent); }
.axis { stroke: var(--line); } .curve { fill: none; stroke: var(--accent); stroke-width: 2; }
.mark { fill: var(--accent); stroke: var(--panel); stroke-width: 2; }
svg text { fill: var(--soft); font-size: 11px; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
.tree { overflow-x: auto; font-size: .9375rem; }
.tree ul { list-style: none; margin: 0; padding-left: 1.1rem; border-left: 1px solid var(--line); }
.tree > ul { padding-left: 0; border: 0; }
.tree li { margin: .15rem 0; }
.tree summary { cursor: pointer; }
.on-path > .node, .on-path > details > summary { background: var(--path); border-radius: .25rem; }
.node, .tree summary { padding: .05rem .35rem; }
.row { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin-bottom: .75rem; }
.row > * { flex: 1 1 9rem; } .row > button { flex: 0 1 8rem; }
footer { padding: 1rem 1rem 2rem; color: var(--soft); font-size: .875rem; }
[hidden] { display: none; }
@media (prefers-reduced-motion: no-preference) { .busy { opacity: .6; transition: opacity .2s .15s; } }
`;
