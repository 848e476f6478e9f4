import { expect } from 'chai';
import { inTurnById } from '#src/adapters/rabbitmq/in-turn.ts';

describe('work in turn', () => {
  it('waits for earlier work with its id, also if that fails, and for no other', async () => {
    const inTurn = inTurnById();
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const run = (id: string, name: string, fails = false) =>
      inTurn(id, () => {
        begun.push(name);
        return new Promise<void>((resolve, reject) => {
          ends.push(() => {
            if (fails) reject(new Error(name));
            else resolve();
          });
        });
      });
    const first = run('a', 'first', true).catch(String);
    const second = run('a', 'second');
    const third = run('a', 'third');
    const other = run('b', 'other');
    expect(begun).to.deep.equal(['first', 'other']);

    ends[0]!();
    expect(await first).to.equal('Error: first');
    expect(begun).to.deep.equal(['first', 'other', 'second']);
    ends[2]!();
    await second;
    expect(begun).to.deep.equal(['first', 'other', 'second', 'third']);
    ends[1]!();
    ends[3]!();
    await Promise.all([third, other]);
  });
});
