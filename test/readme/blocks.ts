/** One ```sh block of a page, as a reader would take it. */
export type Block = Readonly<{
  script: string;
  /** Of its first command, in the page. */
  line: number;
  /** The text before it says that it goes into a second terminal, while what stands before goes on. */
  secondTerminal: boolean;
  /** What the last line of its output contains, in this order: `command   # … one … another …`. */
  expected: readonly string[];
}>;

/** Errors: an expectation that is not on the last line of its block, where nobody would check it. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let end = 0;
  for (const match of page.matchAll(/^```sh\n([^]*?)^```$/gm)) {
    const script = match[1] ?? '';
    const before = page.slice(end, match.index);
    const line = page.slice(0, match.index).split('\n').length + 1;
    const lines = script.trimEnd().split('\n');
    const stray = lines.slice(0, -1).findIndex((one) => expectationOf(one).length > 0);
    if (stray >= 0) throw new Error(`Line ${line + stray} expects something before its block ends`);
    blocks.push({
      script,
      line,
      secondTerminal: /\bsecond\s+terminal\b/i.test(before),
      expected: expectationOf(lines.at(-1) ?? ''),
    });
    end = match.index + match[0].length;
  }
  return blocks;
}

function expectationOf(line: string): string[] {
  const [, comment = ''] = / # (.*….*)$/.exec(line) ?? [];
  return comment
    .split('…')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
