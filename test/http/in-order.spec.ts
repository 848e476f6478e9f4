import { expect } from 'chai';
import { inOrder } from '#src/http/in-order.ts';

describe('work on items in order', () => {
  it('answers in the order of the items, whichever is done first', async () => {
    const delays = [30, 1, 15, 0];
    const work = async (ms: number, index: number): Promise<string> => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return `${index}:${ms} `;
    };
    let text = '';
    for await (const chunk of inOrder(from(delays), work, 4)) text += chunk;
    expect(text).to.equal('0:30 1:1 2:15 3:0 ');
  });

  it('reads no further than there is room, and on when there is', async () => {
    const seen = { read: 0 };
    const ends: ((text: string) => void)[] = [];
    let atOnce = false;
    const work = async () => (atOnce ? 'b' : new Promise<string>((resolve) => ends.push(resolve)));
    const answers = inOrder(from([1, 2, 3, 4, 5], seen), work, 2);
    const first = answers.next();
    await settled();
    expect(seen.read).to.equal(2);

    ends[0]?.('a');
    expect(await first).to.deep.equal({ done: false, value: 'a' });
    const second = answers.next();
    await settled();
    expect(seen.read).to.equal(3);
    atOnce = true;
    for (const end of ends.slice(1)) end('b');
    let rest = (await second).value ?? '';
    for await (const chunk of answers) rest += chunk;
    expect(rest).to.equal('bbbb');
  });

  it('reads nothing more once nobody takes results', async () => {
    const seen = { read: 0 };
    const many = Array.from({ length: 100 }, (_, n) => n);
    for await (const chunk of inOrder(from(many, seen), async () => 'x', 2)) {
      expect(chunk).to.match(/^x+$/);
      break;
    }
    await settled();
    const { read } = seen;
    await settled();
    expect(seen.read).to.equal(read).and.to.be.below(10);
  });

  it('gives what was done, and then what went wrong with the reading', async () => {
    const broken = (async function* () {
      yield 1;
      throw new Error('the connection broke');
    })();
    let text = '';
    let fault: unknown;
    try {
      for await (const chunk of inOrder(broken, async () => 'done', 2)) text += chunk;
    } catch (error) {
      fault = error;
    }
    expect(text).to.equal('done');
    expect((fault as Error).message).to.equal('the connection broke');
  });
});

async function* from(items: readonly number[], seen = { read: 0 }): AsyncGenerator<number> {
  for (const item of items) {
    seen.read += 1;
    yield item;
  }
}

async function settled(): Promise<void> {
  for (let n = 0; n < 10; n += 1) await new Promise((resolve) => setImmediate(resolve));
}
