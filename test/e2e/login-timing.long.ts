import { expect } from 'chai';
import { ADMIN, localAccessOfBlock, LOGIN } from '#test/support/local-access.ts';

/** The number of tries of each kind; each takes as long as a hash of a password. */
const TRIES = Number(process.env['LOGIN_TRIES'] ?? 200);
/** Tries while a user is locked hash nothing, so that more of them cost little. */
const LOCKED_TRIES = Math.max(TRIES, 1000);
/** A difference that the code makes is there in every round, unlike one that a busy machine makes. */
const ROUNDS = 3;
const DIFFERENCE_MAX = 0.05;
/** One less than what locks a user at an address. */
const TRIES_PER_ADDRESS = 4;

type Attempt = Readonly<{ username: string; password: string }>;

const WRONG: Attempt = { ...ADMIN, password: 'Wrong-Horse-77' };
const UNKNOWN: Attempt = { ...WRONG, username: 'root.nobody' };

// Only there can a process send from more than one address of the loopback network.
(process.platform === 'linux' ? describe : describe.skip)(
  'the time of a failed login',
  function () {
    this.timeout(600_000);
    const access = localAccessOfBlock();

    let addresses = 0;
    const nextAddress = (): string => {
      addresses += 1;
      return `127.${1 + (addresses >> 16)}.${(addresses >> 8) & 255}.${addresses & 255}`;
    };

    const timed = async (from: string, attempt: Attempt): Promise<number> => {
      const startedMs = performance.now();
      const { status } = await access.client.send({
        ...{ method: 'POST', path: LOGIN, from },
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ grantType: 'password', ...attempt }),
      });
      const ms = performance.now() - startedMs;
      expect(status).to.equal(401);
      return ms;
    };

    /**
     * Tries both in turn, so that whatever else the machine does falls upon both, and each first in every other pair.
     * Returns how much longer the median of one is than that of the other, as a share of it.
     */
    const difference = async (
      pair: readonly [Attempt, Attempt],
      tries: number,
      addressOf: (n: number) => string | Promise<string>,
    ): Promise<number> => {
      const times: [number[], number[]] = [[], []];
      for (let n = 0; n < tries; n += 1) {
        const from = await addressOf(n);
        for (const kind of n % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
          times[kind].push(await timed(from, pair[kind]));
        }
      }
      const [a, b] = [medianOf(times[0]), medianOf(times[1])];
      console.log(`      medians of ${tries}: ${a.toFixed(3)} ms and ${b.toFixed(3)} ms`);
      return Math.max(a, b) / Math.min(a, b) - 1;
    };

    const expectEqual = async (...asked: Parameters<typeof difference>): Promise<void> => {
      const found: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        found.push(await difference(...asked));
        if (found.at(-1)! <= DIFFERENCE_MAX) return;
      }
      expect.fail(
        `The medians differ by ${found.map((one) => `${(one * 100).toFixed(1)} %`).join()}`,
      );
    };

    it('does not tell whether there is such a user', async () => {
      let from = '';
      await expectEqual([WRONG, UNKNOWN], TRIES, async (n) => {
        if (n % TRIES_PER_ADDRESS !== 0) return from;
        from = nextAddress();
        await access.client.send({ method: 'GET', path: '/health', from }); // Connects.
        return from;
      });
    });

    it('tells neither of a locked user, nor whether the password is right', async () => {
      const from = nextAddress();
      for (const attempt of [WRONG, UNKNOWN]) {
        for (let n = 0; n <= TRIES_PER_ADDRESS; n += 1) await timed(from, attempt);
      }
      await expectEqual([WRONG, UNKNOWN], LOCKED_TRIES, () => from);
      await expectEqual([WRONG, ADMIN], LOCKED_TRIES, () => from);
    });
  },
);

function medianOf(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
