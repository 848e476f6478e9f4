import fc, { type Arbitrary } from 'fast-check';
import type { ScriptQuantity, Script, ScriptLeg, ScriptRate } from '#src/dsl/script.ts';

const of = (letters: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...letters.split(/(?=.)/)), minLength: 1, maxLength });
const name = of('abzABZ019_-/', 12);
const account = fc.oneof(
  name,
  name.map((word) => `@${word}`),
  fc.constant('@external/BRL'),
);
const text = fc
  .string({ unit: 'binary', maxLength: 40 })
  .map((found) => found.toWellFormed().replaceAll('"', "'"));
const digits = of('0123456789', 12);
const decimal = fc.oneof(
  digits,
  fc.tuple(digits, digits).map(([whole, rest]) => `${whole}.${rest}`),
);
const percentage = fc.oneof(fc.integer({ min: 0, max: 200 }), fc.constant(999_999_999_999_999));
const metadata = fc.dictionary(
  name.filter((key) => key !== '__proto__'),
  name,
  { minKeys: 1, maxKeys: 4 },
);

const quantity: Arbitrary<ScriptQuantity> = fc.oneof(
  fc.record({ amount: fc.record({ asset: name, value: decimal }) }),
  fc.record({
    share: fc.record(
      { percentage, percentageOfPercentage: percentage },
      { requiredKeys: ['percentage'] },
    ),
  }),
  fc.constant({ remaining: 'remaining' }),
);

const rate: Arbitrary<ScriptRate> = fc.record({
  externalId: name,
  from: name,
  to: name,
  value: decimal,
});

const leg: Arbitrary<ScriptLeg> = fc
  .tuple(
    fc.record({ accountAlias: account }),
    quantity,
    fc.record({ rate, description: text, chartOfAccounts: name, metadata }, { requiredKeys: [] }),
  )
  .map(([one, part, rest]) => ({ ...one, ...part, ...rest }));

const legs = fc.array(leg, { minLength: 1, maxLength: 4 });
const remaining = fc.constant('remaining');

/** Anything that a script can say. */
export const anyScript: Arbitrary<Script> = fc.record(
  {
    chartOfAccountsGroupName: name,
    description: text,
    code: name,
    pending: fc.boolean(),
    metadata,
    send: fc.record({
      asset: name,
      value: decimal,
      source: fc.record({ remaining, from: legs }, { requiredKeys: ['from'] }),
      distribute: fc.record({ remaining, to: legs }, { requiredKeys: ['to'] }),
    }),
  },
  { requiredKeys: ['chartOfAccountsGroupName', 'send'] },
);
