import { markup, type Markup } from './markup.ts';

/** Marks member names, texts, numbers and keywords of JSON, TypeScript or a shell command. */
export function highlighted(code: string): Markup {
  const parts: Markup[] = [];
  let from = 0;
  for (const match of code.matchAll(TOKEN)) {
    const [token, name, text, number] = match;
    const kind = name ? 'k' : text ? 's' : number ? 'n' : 'w';
    parts.push(markup`${code.slice(from, match.index)}<span class="${kind}">${token}</span>`);
    from = match.index + token.length;
  }
  return markup`${parts}${code.slice(from)}`;
}

const TOKEN =
  /("(?:[^"\\]|\\.)*"(?=\s*:))|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<![\w-])(-?\d+(?:\.\d+)?)(?![\w-])|\b(?:import|from(?= ')|const|await|true|false|null|curl)\b/g;
