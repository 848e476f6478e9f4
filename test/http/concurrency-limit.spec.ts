import { expect } from 'chai';
import { createConcurrencyLimit } from '#src/http/concurrency-limit.ts';
import { Refusal } from '#src/kernel/errors.ts';

describe('a concurrency limit', () => {
  it('runs a few tasks at once, others in the order they came, and refuses more than may wait', async () => {
    const limit = createConcurrencyLimit({ runningMax: 2, waitingMax: 2, tasks: 'batches' });
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const work = (name: string) =>
      limit.run(async () => {
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

  it('goes on after a task that failed', async () => {
    const limit = createConcurrencyLimit({ runningMax: 1, waitingMax: 1, tasks: 'batches' });
    const fails = limit.run(async () => Promise.reject(new Error('as it happens')));
    const next = limit.run(async () => 'done');
    expect(await fails.catch((error: unknown) => (error as Error).message)).to.equal(
      'as it happens',
    );
    expect(await next).to.equal('done');
  });
});

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
