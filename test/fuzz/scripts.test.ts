import { expect } from 'chai';
import { Refusal } from '#src/kernel/errors.ts';
import { formatScript } from '#test/support/format-script.ts';
import { parseScript } from '#src/dsl/parse.ts';
import { createRandom } from '#test/sim/random.ts';
import { anyTexts } from './scripts.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
const SCRIPTS = Number(process.env['FUZZ_SCRIPTS'] ?? 1_000_000);

/** Every text is a script or refused, in time; a script, written out, is read as the same again. */
describe(`${SCRIPTS} scripts, seed ${SEED}`, function () {
  this.timeout(20 * 60_000);

  it('are read or refused, none of them slowly', () => {
    const counts = { read: 0, refused: 0 };
    let slowest = 0;
    const texts = anyTexts(SEED, createRandom(SEED));
    for (let n = 0; n < SCRIPTS; n += 1) {
      const text = texts.next().value as string;
      const ms = took(text, counts);
      // What else the machine does is not the parser's: a slow text is slow every time, and costs the processor.
      const least = ms < SLOW_MS ? ms : Math.min(costs(text), costs(text), costs(text));
      slowest = Math.max(slowest, least);
      if (least >= SLOW_MS) throw new Error(`Seed ${SEED}, ${least} ms for ${shown(text)}`);
    }
    console.log(
      `    ${counts.read} read, ${counts.refused} refused, ${slowest.toFixed(1)} ms at most`,
    );
    expect(counts.read).to.be.above(SCRIPTS / 1000);
  });
});

function took(text: string, counts = { read: 0, refused: 0 }): number {
  const from = performance.now();
  try {
    const said = parseScript(text);
    const ms = performance.now() - from;
    counts.read += 1;
    const again = JSON.stringify(parseScript(formatScript(said)));
    if (again !== JSON.stringify(said)) throw new Error(`It is read again as ${again}`);
    return ms;
  } catch (error) {
    if (!(error instanceof Refusal) || !EXPECTED.includes(error.refusal)) {
      throw new Error(`Seed ${SEED}, ${shown(text)}`, { cause: error });
    }
    counts.refused += 1;
    return performance.now() - from;
  }
}

/** Milliseconds of the processor. */
function costs(text: string): number {
  const from = process.cpuUsage();
  took(text);
  return process.cpuUsage(from).user / 1000;
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 4000));

const EXPECTED: readonly string[] = ['DSL_INVALID', 'MALFORMED_FIELD', 'TOO_MANY_KEYS'];
/**
 * For 1 MiB, of which a busy processor reads the worst in 50; what is common takes a thousandth of it, and what a
 * careless parser walks over and over takes minutes.
 */
const SLOW_MS = 200;
