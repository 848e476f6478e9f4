/** All pages use system fonts, the reader's color scheme, one column on a phone and two in wide windows. */
export const style = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6470; --paper: #fff; --tint: #f4f5f7;
  --line: #dfe3e8; --link: #0b5cad; --good: #1a7f4b; --bad: #b3261e; --change: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #9aa4b0; --paper: #14171a;
  --tint: #1d2125; --line: #31373e; --link: #7cb7ff; --good: #5fd39a; --bad: #ff8a80; --change: #e6b450; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); text-underline-offset: .15em; }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
pre { background: var(--tint); border: 1px solid var(--line); border-radius: 6px; padding: .75rem 1rem;
  white-space: pre-wrap; }
header.top { border-bottom: 1px solid var(--line); padding: .75rem 1.25rem; display: flex;
  flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; }
header.top strong { margin-right: auto; }
main { padding: 0 1.25rem 4rem; max-width: 60rem; margin: 0 auto; min-width: 0; width: 100%; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 1.5rem 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
h3 { font-size: .8rem; text-transform: uppercase; letter-spacing: .05em; color: var(--soft);
  margin: 1.25rem 0 .25rem; }
p { margin: .5rem 0; max-width: 44rem; }
main > p:first-child { margin-top: 1rem; }
.soft { color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; }
.with-nav nav { padding: .5rem 1.25rem; border-bottom: 1px solid var(--line); }
.with-nav nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
.with-nav nav li li { display: none; }
.with-nav nav li ul { display: none; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; }
summary { padding: .5rem .75rem; cursor: pointer; border-radius: 6px; display: flex; gap: 0 .75rem;
  flex-wrap: wrap; align-items: baseline; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary:hover { background: var(--tint); }
summary .what { flex-basis: 100%; color: var(--soft); font-size: .9rem; padding-left: 4.25rem; }
details > div { padding: 0 1rem 1rem; scroll-margin-top: 5rem; border-top: 1px solid var(--line); }
.method { font: 700 .75rem/1.5 ui-monospace, monospace; width: 3.5rem; color: var(--change); flex: none;
  display: inline-block; }
.get, .head { color: var(--good); }
.delete { color: var(--bad); }
.path { flex: 1; min-width: 12rem; }
ul.fields { list-style: none; margin: .25rem 0; padding: 0; }
ul.fields ul.fields { border-left: 2px solid var(--line); margin-left: .25rem; padding-left: .9rem; }
ul.fields > li { padding: .2rem 0; }
ul.fields .note { display: block; color: var(--soft); font-size: .9rem; }
.type { color: var(--soft); font-size: .875rem; }
.required { color: var(--bad); font-size: .8rem; }
.old > code { text-decoration: line-through; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem; margin: 1rem 0; }
dt { color: var(--soft); }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0;
  border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; font-size: .875rem; }
th, td { overflow-wrap: break-word; }
td:first-child { white-space: nowrap; }
.codes a { white-space: nowrap; }
@media (min-width: 64rem) {
  .with-nav { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
  .with-nav nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; border-bottom: 0;
    border-right: 1px solid var(--line); padding: 1rem 1.25rem 2rem; font-size: .9rem; }
  .with-nav nav ul, .with-nav nav li ul, .with-nav nav li li { display: block; }
  .with-nav nav > ul > li { margin-bottom: .75rem; }
  .with-nav nav > ul > li > a { font-weight: 600; }
  .with-nav nav li li { padding-left: .75rem; }
  .with-nav main { margin: 0; padding-left: 2rem; }
}
@media (max-width: 40rem) {
  summary .what { padding-left: 0; }
  table.stacks tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  table.stacks thead { display: none; }
  table.stacks td { display: inline; border: 0; padding: 0 .5rem 0 0; }
  table.stacks td:last-child { display: block; color: var(--soft); font-size: .9rem; }
}
@media print { nav, header.top { display: none; } }
`;
