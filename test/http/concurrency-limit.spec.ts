import { expect } from 'chai';
import { createConcurrencyLimit, type ConcurrencyBounds } from '#src/http/concurrency-limit.ts';
import { Refusal } from '#src/kernel/errors.ts';

describe('a concurrency limit', () => {
  it('runs as many tasks at once as their bytes allow, others in the order they came', async () => {
    const { begun, work, end } = tasksWithin({ bytesMax: 100 });
    const asked = [work('a', 50), work('b', 50), work('c', 60), work('d', 1)];
    expect(begun).to.deep.equal(['a', 'b']);

    end('a'); // 50 are free: too few for c, and d does not overtake it.
    await settled();
    expect(begun).to.deep.equal(['a', 'b', 'c']);
    end('b');
    await settled();
    expect(begun).to.deep.equal(['a', 'b', 'c', 'd']);
    end('c');
    end('d');
    await Promise.all(asked);
  });

  it('runs more small tasks than large ones, but always two', async () => {
    const { begun, work, end } = tasksWithin({ bytesMax: 100 });
    const names = ['a', 'b', 'c', 'd', 'e'];
    const asked = [work('a', 500), work('b', 500), ...names.slice(2).map((name) => work(name, 30))];
    expect(begun).to.deep.equal(['a', 'b']);
    end('a');
    await settled();
    expect(begun).to.deep.equal(['a', 'b', 'c']);
    end('b');
    await settled();
    expect(begun).to.deep.equal(names);
    for (const name of names.slice(2)) end(name);
    await Promise.all(asked);
  });

  it('refuses more than may wait', async () => {
    const { begun, work, end } = tasksWithin({ bytesMax: 1, waitingMax: 1 });
    const asked = ['a', 'b', 'c'].map((name) => work(name, 1));
    expect(await refusalOf(work('d', 1))).to.equal('TOO_MANY_REQUESTS');
    for (const name of ['a', 'b']) end(name);
    await settled();
    end('c');
    await Promise.all(asked);
    expect(begun).to.deep.equal(['a', 'b', 'c']);
  });

  it('refuses those whose turn comes too late', async () => {
    let nowMs = 0;
    const { begun, work, end } = tasksWithin({ bytesMax: 1, waitMsMax: 10 }, () => nowMs);
    const asked = [work('a', 1), work('b', 1)];
    const late = refusalOf(work('c', 1));
    nowMs = 5;
    asked.push(work('d', 1));
    nowMs = 11;
    end('a');
    expect(await late).to.equal('TOO_MANY_REQUESTS');
    expect(begun).to.deep.equal(['a', 'b', 'd']);
    end('b');
    end('d');
    await Promise.all(asked);
  });

  it('goes on after a task that failed', async () => {
    const limit = createConcurrencyLimit({ ...BOUNDS, bytesMax: 1 });
    const fails = [1, 2].map(() =>
      limit.run(1, () => Promise.reject(new Error('as it happens'))).catch(messageOf),
    );
    let isDone = false;
    const next = limit.run(1, () => {
      isDone = true;
      return undefined;
    });
    expect(await Promise.all(fails)).to.deep.equal(['as it happens', 'as it happens']);
    await next;
    expect(isDone).to.equal(true);
  });
});

const BOUNDS: ConcurrencyBounds = {
  bytesMax: 100,
  waitingMax: 10,
  waitMsMax: 60_000,
  tasks: 'batches',
};

/** Tasks that begin when the limit lets them, and end when the test says so. */
function tasksWithin(bounds: Partial<ConcurrencyBounds>, elapsedMs?: () => number) {
  const limit = createConcurrencyLimit({ ...BOUNDS, ...bounds }, elapsedMs);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    work: (name: string, bytes: number): Promise<void> =>
      limit.run(bytes, () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      }),
    end: (name: string): void => ends.get(name)!(),
  };
}

const refusalOf = (task: Promise<void>): Promise<string> =>
  task.then(
    () => 'none',
    (error: unknown) => (error as Refusal).refusal,
  );

const messageOf = (error: unknown): string => (error as Error).message;

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
