import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { blocksOf } from './blocks.ts';
import { ROOT } from './fresh-copy.ts';

const page = (...lines: string[]): string => lines.join('\n') + '\n';

describe('blocks of the README', () => {
  it('are those of sh, with their line, their terminal and what they are expected to print', () => {
    const text = page(
      'Start:',
      '```sh',
      'npm start',
      '```',
      '```json',
      '{}',
      '```',
      'In a second terminal:',
      '```sh',
      'one',
      'two',
      '```',
      'The last command prints:',
      '',
      '```text',
      '… "a":"1" … "b" …',
      '```',
      'Another way:',
      '```text',
      'three',
      '```',
      'Until you press Ctrl-C:',
      '```sh',
      'four',
      '```',
    );
    const terminal = (secondTerminal: boolean) => ({ secondTerminal, untilCtrlC: false });
    expect(blocksOf(text)).to.deep.equal([
      { ...terminal(false), script: 'npm start\n', line: 3, expected: [] },
      { ...terminal(true), script: 'one\ntwo\n', line: 10, expected: ['"a":"1"', '"b"'] },
      { ...terminal(false), script: 'four\n', line: 24, expected: [], untilCtrlC: true },
    ]);
  });

  it('have no comments, which an interactive zsh does not take', () => {
    for (const { script } of blocksOf(readFileSync(join(ROOT, 'README.md'), 'utf8'))) {
      expect(script).not.to.match(/(^|\s)#/m);
    }
  });
});
