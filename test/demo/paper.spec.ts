import { expect } from 'chai';
import { Writable } from 'node:stream';
import { paperOn, shownAmount, type BookedOperation, type Paper } from '#demo/paper.ts';

describe('the paper of the demo', () => {
  const written = (write: (paper: Paper) => void, isTTY = false): string => {
    let text = '';
    const stream = new Writable({
      write(chunk: Buffer, _, done) {
        text += chunk.toString();
        done();
      },
    });
    write(paperOn(Object.assign(stream, { isTTY }) as unknown as NodeJS.WriteStream));
    return text;
  };
  const operation = (value: string, available: string): BookedOperation => ({
    type: 'CREDIT',
    accountAlias: '@bakery',
    amount: { value },
    balanceAfter: { available, onHold: '999.5' },
  });

  it('shows every digit of an amount', () => {
    expect(['0', '4200', '84.7295', '1234567.8', '-1000.05'].map(shownAmount)).to.deep.equal([
      '0.00',
      '4,200.00',
      '84.7295',
      '1,234,567.80',
      '-1,000.05',
    ]);
  });

  it('fits into 80 columns, without colours where nobody looks', () => {
    const text = written((paper) => {
      paper.heading('08:00', 'Something happens');
      paper.say('A sentence of some words that goes on and on. '.repeat(9).trim());
      paper.good(
        'It was as told, to the last digit, in every account of the bank, and outside of it.',
      );
      const operations = [operation('123456.7891', '999999.1234'), operation('1', '1')];
      paper.booked({ operations });
      paper.progress(50, 100);
    });
    const lines = text.split('\n');
    expect(lines.length).to.be.above(9);
    for (const line of lines) expect(line.length, line).to.be.at.most(80);
    expect(text).not.to.contain('\x1b').and.not.to.contain('\r');
    expect(text).to.contain('123,456.7891').and.to.contain('999,999.1234  999.50 held');
  });
});
