import { expect } from 'chai';
import { definitions, producers } from '#src/bootstrap/definitions.ts';
import { policyOf, readPolicies, type Policies } from '#src/bridge/delivery-policy.ts';
import { emitted } from '#src/bridge/emitted.ts';

const signal = emitted('match.completed', 'A match was completed');
const fact = definitions.find(({ key }) => key === 'balance.changed')!;

const read = (list: string): { policies: Policies; mistakes: string[] } => {
  const mistakes: string[] = [];
  const policies = readPolicies(list, [signal, fact], (entry, why) => {
    mistakes.push(`${entry} ${why}`);
  });
  return { policies, mistakes };
};

describe('delivery policies', () => {
  it('are those of the definition, unless a setting overrides them', () => {
    const { policies, mistakes } = read('match.completed.outbox=never;match.completed.dlq=never');
    expect(mistakes).to.deep.equal([]);
    expect(policyOf(signal)).to.deep.equal({
      ...{ enabled: true, direct: 'direct' },
      ...{ outbox: 'fallback_on_circuit_open', dlq: 'on_routable_failure' },
    });
    expect(policyOf(signal, policies)).to.deep.equal({
      ...{ enabled: true, direct: 'direct', outbox: 'never', dlq: 'never' },
    });
  });

  it('take events from the log for everything that the ledger tells, by no setting otherwise', () => {
    for (const { name, definitions: own } of producers) {
      if (name !== 'ledger' && name !== 'companion') continue;
      for (const definition of own) {
        expect(policyOf(definition)).to.include({ direct: 'skip', outbox: 'always' });
      }
    }
    for (const entry of ['direct=direct', 'outbox=never', 'dlq=never']) {
      expect(read(`balance.changed.${entry}`).mistakes[0]).to.match(/is published from the log/);
    }
    expect(read('balance.changed.outbox=always').mistakes).to.deep.equal([]);
  });

  it('that would lose every event are refused', () => {
    expect(read('match.completed.direct=skip').mistakes).to.deep.equal([
      'match.completed direct=skip needs outbox=always',
    ]);
    const both = 'match.completed.direct=skip,match.completed.outbox=always';
    expect(read(both).mistakes).to.deep.equal([]);
  });

  it('name every entry that means nothing', () => {
    expect(read('match.completed.direct=perhaps').mistakes[0]).to.match(/must be direct or skip/);
    expect(read('match.completed.speed=high').mistakes[0]).to.match(/names no attribute/);
    expect(read('no.event.enabled=true').mistakes[0]).to.match(/names no event/);
    expect(read(`${'k'.repeat(257)}.enabled=true`).mistakes[0]).to.match(/more than 256 bytes/);
    expect(read('nonsense').mistakes[0]).to.match(/names no event/);
    const many = 'match.completed.enabled=true\n'.repeat(1025);
    expect(read(many).mistakes).to.deep.equal(['the list has more than 1024 entries']);
  });
});
