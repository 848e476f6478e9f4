import { markup, type Markup } from './markup.ts';

/** A part of a guide, as its heading divides it. */
export type Guide = Readonly<{ title: string; id: string; content: Markup }>;

/**
 * Renders the Markdown that descriptions use: headings of the second level, paragraphs, lists and code spans. Returns
 * what comes before the first heading, and a guide for each.
 */
export function guidesOf(markdown: string): Readonly<{ intro: Markup; guides: readonly Guide[] }> {
  const [before = '', ...parts] = markdown.split(/^## /m);
  const guides = parts.map((part) => {
    const [title = '', ...lines] = part.split('\n');
    const id = `guide-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;
    return { title, id, content: prose(lines.join('\n')) };
  });
  return { intro: prose(before), guides };
}

/** Renders paragraphs and lists. */
export function prose(markdown: string): Markup {
  const blocks = markdown
    .trim()
    .split(/\n{2,}/)
    .filter((block) => block !== '');
  return markup`${blocks.map((block) =>
    block.startsWith('- ')
      ? markup`<ul>${block
          .slice(2)
          .split(/\n- /)
          .map((item) => markup`<li>${inline(item)}</li>`)}</ul>`
      : markup`<p>${inline(block)}</p>`,
  )}`;
}

/** Renders the code spans of a line; those of errors lead to their pages. */
export const inline = (text: string): Markup =>
  markup`${text.split('`').map((part, n) => (n % 2 === 0 ? part : code(part)))}`;

const code = (text: string): Markup =>
  /^([A-Z]{3}-)?\d{4}$/.test(text)
    ? markup`<a href="/docs/errors/${text}"><code>${text}</code></a>`
    : markup`<code>${text}</code>`;
