import { expect } from 'chai';
import { destroyUnusedKeys } from '#commands/registry/processes/unused-keys.ts';
import { registryDecider, type RegistryCommand } from '#commands/registry/registry.ts';
import { systemIds } from '#src/adapters/system.ts';
import { parseInstant, type Micros } from '#src/kernel/instant.ts';
import type { Journals } from '#src/journal/journals.ts';
import { NO_FACTS } from '#test/support/decider-spec.ts';
import { ORGANIZATION } from '#test/support/ledger-samples.ts';
import { protectionWorld } from '#test/support/protection.ts';
import { NOW, nthId, stampAt } from '#test/support/stamps.ts';

describe('keys of records that never came to be', () => {
  const hour = 3600 * 1_000_000;
  const record = (n: number) => ({
    ...{ tenantId: 'default', organizationId: ORGANIZATION, recordId: nthId(n) },
  });
  const entry = { tokens: ['token'], claims: [] };

  it('are destroyed after an hour, once the journal has revoked the record', async () => {
    let now = parseInstant(NOW);
    const clock = { now: () => now };
    const keys = protectionWorld({ clock }).process();
    const state = registryDecider.initialState();
    const [live, lost, young, linked] = [record(1), record(2), record(3), record(4)];
    const holder = { id: live.recordId } as never;
    const data = { holder, requestHash: '' };
    registryDecider.evolve(state, { type: 'HolderCreated', data }, 0);
    const { recordId: id } = linked;
    const instrument = { id, holderId: live.recordId, accountId: nthId(9) } as never;
    const creation = { instrument, requestHash: '' };
    registryDecider.evolve(state, { type: 'InstrumentCreated', data: creation }, 1);
    await keys.create(live, entry);
    await keys.create(linked, entry);
    await keys.create(lost, entry);
    now = (now + 2 * hour) as Micros;
    await keys.create(young, entry);

    const submitted: RegistryCommand[] = [];
    const journals = {
      fact: async () => registryDecider.fact(state),
      submit: async (_: unknown, { command }: { command: RegistryCommand }) => {
        submitted.push(command);
        const events = registryDecider.decide(state, command, NO_FACTS, stampAt());
        if ('unchanged' in events) return;
        for (const event of events) registryDecider.evolve(state, event, 1);
      },
    } as unknown as Pick<Journals, 'submit' | 'fact'>;
    const cleaning = { keys, journals, clock, ids: systemIds() };

    expect(await destroyUnusedKeys(cleaning)).to.equal(1);
    expect(submitted).to.deep.equal([
      { type: 'RevokeHolder', organizationId: ORGANIZATION, id: lost.recordId },
    ]);
    expect(state.revoked.has(lost.recordId)).to.equal(true);
    expect(await keys.open(lost)).to.equal(undefined);
    expect(await keys.open(live)).not.to.equal(undefined);
    expect(await keys.open(linked)).not.to.equal(undefined);
    expect(await keys.open(young)).not.to.equal(undefined);
    expect(await destroyUnusedKeys(cleaning)).to.equal(0);
  });
});
