/** HTML that is safe to send: every text in it was escaped when it was added. */
export type Markup = Readonly<{ markup: string }>;

type MarkupPart = Markup | string | number | undefined | readonly MarkupPart[];

/** A template that escapes texts, inserts markup as it is, joins lists, and omits undefined. */
export function markup(texts: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  const written = texts.map((text, n) => text + (n < parts.length ? writtenPart(parts[n]) : ''));
  return { markup: written.join('') };
}

/** Lets a path break between its segments where the line is too short. */
export const breakable = (path: string): Markup =>
  markup`${path.split(/(?=\/)/).map((segment, n) => markup`${n > 0 ? WBR : undefined}${segment}`)}`;

const WBR: Markup = { markup: '<wbr>' };

function writtenPart(part: MarkupPart): string {
  if (part === undefined) return '';
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escaped(part);
  return 'markup' in part ? part.markup : part.map(writtenPart).join('');
}

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
