import { highlighted } from './highlight.ts';
import { markup, type Markup } from './markup.ts';

/** Renders texts that the script of the page shows one at a time; without it, one below the other. */
export const codePanel = (samples: readonly (readonly [title: string, code: string])[]): Markup =>
  markup`<div class="panel">${samples.map(
    ([title, code]) =>
      markup`<figure data-sample="${title}"><figcaption>${title}</figcaption><pre tabindex="0"><code>${highlighted(code)}</code></pre></figure>`,
  )}</div>`;
