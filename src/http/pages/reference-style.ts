/** The list of groups, operations, members, samples and *try it*. */
export const referenceStyle = `
.hero { margin-top: 1rem; display: grid; gap: 1.5rem 3rem; }
.hero > * { min-width: 0; }
.guide-links { display: flex; flex-wrap: wrap; gap: .4rem .5rem; list-style: none; padding: 0 !important; }
.guide-links a { display: block; border: 1px solid var(--line); border-radius: 99px; padding: .15rem .75rem; text-decoration: none;
  font-size: .875rem; }
.guide-links a:hover { border-color: var(--link); }
.groups { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); gap: 1rem; margin-top: 1rem; }
.group { border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.1rem; font-size: .9rem; }
.group ul { list-style: none; margin: .5rem 0 0; padding: 0; }
.group li { display: flex; gap: .5rem; align-items: baseline; padding: .12rem 0; }
.group .what { flex: 1; color: inherit; }
.group .what:hover { text-decoration: underline; }
.group li .method { width: 3.4rem; }
.group li a { text-decoration: none; }
:target:not(article, section, h2), .group li:has(:target) { background: var(--wash); border-radius: 4px; }

.operation { border-top: 1px solid var(--line); padding: 2.25rem 0 2.5rem; display: grid; gap: 1.5rem 3rem; min-width: 0; }
.operation > div { min-width: 0; }
.endpoint { display: flex; gap: .6rem; align-items: baseline; margin: 0 0 .75rem; }
.endpoint code { font-size: .875rem; background: none; padding: 0; }
.facts { font-size: .8125rem; }
ul.fields { list-style: none; margin: .25rem 0; padding: 0; }
ul.fields > li { padding: .6rem 0; border-top: 1px solid var(--line); }
ul.fields > li:first-child { border-top: 0; }
ul.fields .name { font-weight: 600; background: none; padding: 0; }
ul.fields .note { display: block; }
ul.fields .limits { display: block; color: var(--soft); font-size: .8125rem; }
.type { color: var(--soft); font-size: .8125rem; }
.type a { color: inherit; }
.required { color: var(--bad); font-size: .8125rem; }
/* What a response has, it has always. */
.response .required { display: none; }
.old > .name { text-decoration: line-through; }
.inner { border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; max-width: 44rem; }
.inner > summary { padding: .4rem .75rem; font-size: .8125rem; color: var(--soft); border-radius: 8px; }
.inner > summary:hover { background: var(--tint); }
.inner[open] > summary { border-bottom: 1px solid var(--line); border-radius: 8px 8px 0 0; }
.inner > :not(summary) { padding-left: .9rem; padding-right: .9rem; }
a.code { text-decoration: none; white-space: normal; margin-right: .75rem; font-size: .875rem; }

.shows { display: flex; flex-direction: column; gap: 1rem; }
.panel, .try { flex: none; }
.panel { background: var(--code); border: 1px solid var(--code-line); border-radius: 10px; overflow: hidden; color: var(--code-ink); }
.panel figure { margin: 0; position: relative; }
.panel figcaption { padding: .45rem 1rem; font-size: .8125rem; color: var(--code-soft); border-bottom: 1px solid var(--code-line); }
.panel .tabs ~ figure figcaption { display: none; }
.panel pre { border-radius: 0; max-height: 26rem; overflow: auto; white-space: pre; overflow-wrap: normal; }
.tabs { display: flex; border-bottom: 1px solid var(--code-line); padding: 0 .5rem; }
.tabs button { background: none; border: 0; border-radius: 0; padding: .45rem .5rem; font-size: .8125rem; color: var(--code-soft); }
.tabs button[aria-pressed=true] { color: var(--code-ink); box-shadow: inset 0 -2px var(--code-soft); }
.copy { position: absolute; right: .5rem; top: .4rem; padding: 0 .5rem; font-size: .75rem; background: none;
  color: var(--code-soft); border-color: var(--code-line); }
.tabs ~ figure .copy { top: -2.05rem; }
.copy:hover { color: var(--code-ink); }
pre .k { color: #8fc7ff; }
pre .s { color: #a8dba8; }
pre .n { color: #f0c27b; }
pre .w { color: #d6a8f0; }
.try { border: 1px solid var(--line); border-radius: 10px; display: none; }
.js .try { display: block; }
.try > summary { padding: .5rem 1rem; font-weight: 600; }
.try form, .try form > details { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem .75rem; }
.try form { padding: 0 1rem 1rem; }
.try form > *, .try summary { grid-column: 1 / -1; margin: 0; }
.try label:has([name^=query], [name^=header]) { grid-column: auto; align-self: end; }
.try label { font-size: .8125rem; }
.try label > span { display: block; margin-bottom: .15rem; }
.try label i { color: var(--soft); font-style: normal; }
.try input, .try select { width: 100%; }
.try form > details { font-size: .8125rem; }
.try form summary { color: var(--soft); }
.try form button { background: var(--link); color: var(--paper); border-color: var(--link); font-weight: 600; padding: .35rem 1.25rem; }
.try output { display: block; font-size: .875rem; min-width: 0; }
.try output pre { max-height: 24rem; overflow: auto; margin: .5rem 0; }
.done { color: var(--good); font-weight: 600; }
.failed { color: var(--bad); font-weight: 600; }
[data-only=v1] [data-version=v2], [data-only=v2] [data-version=v1] { display: none !important; }
`;
