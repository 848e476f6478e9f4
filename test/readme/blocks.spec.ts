import { expect } from 'chai';
import { blocksOf } from './blocks.ts';

const page = (...lines: string[]): string => lines.join('\n') + '\n';

describe('blocks of the README', () => {
  it('are those of sh, with their line, their terminal and what they expect', () => {
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
      'one # a plain comment',
      'two   # … "a":"1" … "b" …',
      '```',
    );
    expect(blocksOf(text)).to.deep.equal([
      { script: 'npm start\n', line: 3, secondTerminal: false, expected: [] },
      {
        script: 'one # a plain comment\ntwo   # … "a":"1" … "b" …\n',
        line: 10,
        secondTerminal: true,
        expected: ['"a":"1"', '"b"'],
      },
    ]);
  });

  it('expect nothing that nobody would look at', () => {
    const text = page('```sh', 'one # … "a" …', 'two', '```');
    expect(() => blocksOf(text)).to.throw('Line 2 expects something before its block ends');
  });
});
