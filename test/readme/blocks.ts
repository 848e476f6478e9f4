/** A ```sh block of a page, as a reader pastes it into a terminal. */
export type Block = Readonly<{
  script: string;
  /** The line of its first command in the page. */
  line: number;
  /** The text before it says that it goes into a second terminal, while the block before it keeps running. */
  secondTerminal: boolean;
  /** The text before it says that it runs until the reader presses Ctrl-C. */
  untilCtrlC: boolean;
  /**
   * Parts of the last line it prints, in this order. A ```text block shows them, separated by `…`, below a line that
   * ends in `prints:`. A comment could not: an interactive zsh does not take comments.
   */
  expected: readonly string[];
}>;

export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let end = 0;
  for (const match of page.matchAll(/^```(sh|text)\n([^]*?)^```$/gm)) {
    const [all, language, text = ''] = match;
    const before = page.slice(end, match.index);
    const last = blocks.at(-1);
    end = match.index + all.length;
    if (language === 'sh') {
      blocks.push({
        script: text,
        line: page.slice(0, match.index).split('\n').length + 1,
        secondTerminal: /\bsecond\s+terminal\b/i.test(before),
        untilCtrlC: before.includes('Ctrl-C'),
        expected: [],
      });
    } else if (/\bprints:\s*$/.test(before) && last !== undefined) {
      blocks.splice(-1, 1, { ...last, expected: partsOf(text) });
    }
  }
  return blocks;
}

const partsOf = (text: string): string[] =>
  text
    .split('…')
    .map((part) => part.trim())
    .filter((part) => part !== '');
