import { expect } from 'chai';
import { createTurns } from '#src/http/turns.ts';
import { Refusal } from '#src/kernel/errors.ts';

describe('turns', () => {
  it('let so many work at once, others in the order they came, and refuse what is too much', async () => {
    const turns = createTurns(2, 2);
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const work = (name: string) =>
      turns.take(async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        return name;
      });
    const asked = ['a', 'b', 'c', 'd'].map(work);
    const refused = await work('e').catch((error: unknown) => error);
    expect((refused as Refusal).refusal).to.equal('TOO_MANY_REQUESTS');
    expect(begun).to.deep.equal(['a', 'b']);

    ends.get('b')?.();
    expect(await asked[1]).to.equal('b');
    await settled();
    expect(begun).to.deep.equal(['a', 'b', 'c']);
    ends.get('a')?.();
    ends.get('c')?.();
    await settled();
    ends.get('d')?.();
    expect(await Promise.all(asked)).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('go on after work that failed', async () => {
    const turns = createTurns(1, 1);
    const fails = turns.take(async () => Promise.reject(new Error('as it happens')));
    const next = turns.take(async () => 'done');
    expect(await fails.catch((error: unknown) => (error as Error).message)).to.equal(
      'as it happens',
    );
    expect(await next).to.equal('done');
  });
});

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
