import { referenceStyle } from './reference-style.ts';

/** All pages use system fonts, the reader's color scheme, one column on a phone and up to three in wide windows. */
export const style = `
:root { color-scheme: light dark; --ink: #1b2129; --soft: #5a6572; --paper: #fff; --tint: #f5f6f8;
  --line: #e2e6eb; --link: #0a58a8; --accent: #b3261e; --good: #14724a; --bad: #b3261e; --change: #8a5500;
  --wash: #0a58a814; --code: #11161c; --code-line: #29313b; --code-ink: #d9e0e8; --code-soft: #93a0af; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --soft: #9aa5b1; --paper: #0e1216;
  --tint: #161c22; --line: #29313a; --link: #7fb8ff; --accent: #ff8a80; --good: #5fd39a; --bad: #ff8a80;
  --change: #e6b450; --wash: #7fb8ff1f; --code: #151b22; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.6 system-ui, sans-serif;
  overflow-wrap: anywhere; }
a { color: var(--link); text-underline-offset: .15em; text-decoration-thickness: from-font; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
code, pre, kbd { font: .8667em/1.6 ui-monospace, 'DejaVu Sans Mono', monospace; }
p code, li code, dd code, td code { background: var(--tint); border-radius: 4px; padding: .1em .3em; }
pre { background: var(--code); color: var(--code-ink); border-radius: 8px; margin: 0; padding: .9rem 1rem;
  white-space: pre-wrap; }
pre code { font-size: .8125rem; }
h1, h2, h3, h4 { line-height: 1.3; text-wrap: pretty; }
h1 { font-size: 1.85rem; letter-spacing: -.015em; margin: .5rem 0; }
h2 { font-size: 1.3rem; letter-spacing: -.01em; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1.15rem; margin: 0 0 .35rem; }
h4 { font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); margin: 1.75rem 0 .25rem; }
h2 a, h3 a { color: inherit; text-decoration: none; }
h2 a:hover, h3 a:hover { text-decoration: underline; }
p, main ul { margin: .5rem 0; max-width: 44rem; }
main > ul, .guide ul { padding-left: 1.25rem; }
summary { cursor: pointer; }
.soft { color: var(--soft); }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; z-index: 3; background: var(--paper); padding: .5rem; }

header.top { position: sticky; top: 0; z-index: 2; background: var(--paper); border-bottom: 1px solid var(--line);
  padding: .6rem 1.25rem; display: flex; gap: .5rem 1.25rem; align-items: center; min-height: 3.5rem; }
.brand { font-weight: 700; color: inherit; text-decoration: none; display: flex; gap: .5rem; align-items: center; }
.knots { width: 1.25rem; height: 1.25rem; stroke: var(--soft); fill: var(--accent); }
.knots circle { stroke: none; }
.links { margin-left: auto; display: flex; gap: 1.25rem; font-size: .9rem; }
.links a { color: var(--soft); text-decoration: none; }
.links a:hover { color: var(--ink); }

#search { position: relative; flex: 1; max-width: 34rem; }
#search input { width: 100%; padding-right: 2rem; }
#search kbd { position: absolute; right: .6rem; top: .35rem; color: var(--soft); border: 1px solid var(--line);
  border-radius: 4px; padding: 0 .4rem; font-size: .75rem; }
#search input:focus + kbd { display: none; }
#found { position: absolute; top: calc(100% + .4rem); left: 0; right: 0; margin: 0; padding: .35rem; list-style: none;
  background: var(--paper); border: 1px solid var(--line); border-radius: 8px; max-height: min(30rem, 75vh);
  overflow-y: auto; box-shadow: 0 12px 32px #0003; max-width: none; }
#found .none { padding: .5rem .75rem; color: var(--soft); }
#found a { display: grid; grid-template-columns: 4.25rem minmax(0, 1fr); gap: 0 .5rem; padding: .4rem .6rem;
  border-radius: 6px; color: inherit; text-decoration: none; align-items: baseline; }
#found a > .soft { grid-column: 2; font-size: .8125rem; }
#found [aria-selected=true] a, #found a:hover { background: var(--wash); }
#found strong { font-weight: 600; }
.kind { font: 600 .7rem/1.6 ui-monospace, monospace; color: var(--soft); }

input, select, textarea, button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line);
  border-radius: 6px; padding: .35rem .6rem; max-width: 100%; }
#search input { background: var(--tint); }
textarea { font: .8125rem/1.5 ui-monospace, monospace; width: 100%; resize: vertical; }
button { cursor: pointer; }

main { padding: 1rem 1.25rem 5rem; max-width: 60rem; margin: 0 auto; min-width: 0; width: 100%; }
.menu { padding: .5rem 1.25rem; border-bottom: 1px solid var(--line); font-size: .9rem; }
.menu > summary { color: var(--soft); padding: .25rem 0; }
.menu ul { list-style: none; margin: 0; padding: 0; }
.menu li a { display: flex; gap: .5rem; justify-content: space-between; align-items: baseline; padding: .2rem .5rem;
  border-radius: 5px; color: inherit; text-decoration: none; }
.menu li a:hover { background: var(--tint); }
.menu a[aria-current] { font-weight: 650; }
.menu ul ul { margin: 0 0 .75rem .5rem; border-left: 1px solid var(--line); padding-left: .4rem; font-size: .8125rem; }
.menu ul ul > .soft { padding: .35rem .5rem .1rem; font-size: .75rem; }
.menu a.read { background: var(--wash); color: var(--link); }
.menu select { width: 100%; margin: .25rem 0 .75rem; }
.menu .method { font-size: .65rem; }

.method { font: 700 .75rem/1.6 ui-monospace, monospace; color: var(--change); flex: none; }
.get, .head { color: var(--good); }
.post { color: var(--link); }
.delete { color: var(--bad); }
.badge { font: 600 .7rem/1.5 ui-monospace, monospace; border: 1px solid var(--line); border-radius: 99px; padding: .1rem .5rem;
  color: var(--soft); vertical-align: .12em; letter-spacing: 0; white-space: nowrap; }
.badge.v2 { color: var(--link); border-color: currentColor; }
.badge.old { color: var(--bad); border-color: currentColor; }
.status { font: 600 .8125rem/1.6 ui-monospace, monospace; color: var(--good); }
.errors .status { color: var(--bad); }

${referenceStyle}
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem; margin: 1rem 0; }
dt { color: var(--soft); }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; font-size: .875rem; }
th, td { overflow-wrap: break-word; }
td:first-child { white-space: nowrap; }
@media (min-width: 64rem) {
  .with-nav { display: grid; grid-template-columns: 17.5rem minmax(0, 1fr); }
  .with-nav > nav { position: sticky; top: 3.5rem; height: calc(100vh - 3.5rem); overflow-y: auto;
    border-right: 1px solid var(--line); }
  .menu { border: 0; padding: 1rem .9rem 2rem; }
  .menu > summary { display: none; }
  .with-nav main { max-width: 82rem; margin: 0; padding: 1.5rem 2.5rem 6rem; }
}
@media (min-width: 80rem) {
  .operation, .hero { grid-template-columns: minmax(0, 1fr) minmax(0, 28rem); }
  .shows { position: sticky; top: 4.75rem; align-self: start; max-height: calc(100vh - 5.75rem); overflow-y: auto;
    scrollbar-width: thin; }
}
@media (max-width: 40rem) {
  body { font-size: 16px; }
  .links { display: none; }
  header.top { padding: .6rem 1rem; }
  main { padding: .5rem 1rem 4rem; }
  input, select, textarea { font-size: 16px; }
  #search kbd { display: none; }
  #found { position: fixed; top: 3.6rem; left: .5rem; right: .5rem; }
  table.stacks tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  table.stacks thead { display: none; }
  table.stacks td { display: inline; border: 0; padding: 0 .5rem 0 0; }
  table.stacks td:last-child { display: block; color: var(--soft); font-size: .9rem; }
}
@media print { nav, header.top, .try { display: none !important; } }
`;
