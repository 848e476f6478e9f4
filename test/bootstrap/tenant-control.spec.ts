import { expect } from 'chai';
import { createTenantRegister } from '#commands/tenants/processes/tenant-register.ts';
import { systemClock, systemIds, systemScheduler } from '#src/adapters/system.ts';
import { answerTenantRequest, type TenantAccess } from '#src/bootstrap/tenant-control.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';

const FIRST = {
  ...{ username: 'root.admin', email: 'root@example.com', password: 'Correct-Horse-7' },
  ...{ clientId: 'office', clientSecret: 'a secret that is long enough by far' },
};

describe('the command to add a tenant with an administrator', () => {
  /** Knows which clients are of which tenant, and which tenants have begun. */
  const world = (fails = false) => {
    const log = new MemoryLog();
    const store = new MemoryEventStore({ scheduler: systemScheduler, log, exclusive: false });
    const register = createTenantRegister(store, { clock: systemClock, ids: systemIds() });
    const begun = new Set<string>();
    const clients = new Map<string, string>();
    const access: TenantAccess = {
      reserve: async (tenantId, { clientId }) => {
        if (!clients.has(clientId)) clients.set(clientId, tenantId);
        return clients.get(clientId) === tenantId;
      },
      hasBegun: async (tenantId) => begun.has(tenantId),
      async begin(tenantId) {
        if (fails) throw new Error('the disk is full');
        begun.add(tenantId);
        return true;
      },
    };
    const answer = (request: unknown) =>
      answerTenantRequest({ register, access: async () => access }, request);
    const types = () => log.read('tenants', 0, 99).map(({ type }) => type);
    return { answer, types, register };
  };
  const add = (id: unknown, first: unknown = FIRST) => ({ type: 'AddTenant', id, first });

  it('records that the tenant has data before it has any', async () => {
    const { answer, types } = world();
    expect(await answer(add('acme'))).to.deep.equal({ changed: true, administrator: 'created' });
    expect(types()).to.deep.equal(['TenantAdded', 'TenantFirstUsed']);
    const other = { ...FIRST, clientId: 'other' };
    expect(await answer(add('acme', other))).to.deep.equal({
      ...{ changed: false, administrator: 'present' },
    });
    expect(types()).to.have.lengthOf(2);
  });

  it('does the rest of one that was interrupted', async () => {
    const cut = world(true);
    expect(await cut.answer(add('acme'))).to.deep.equal({ failed: 'the disk is full' });
    expect(cut.types()).to.deep.equal(['TenantAdded', 'TenantFirstUsed']);
    const { answer, register } = world();
    const by = { type: 'system', id: 'any' } as const;
    for (const type of ['AddTenant', 'UseTenant'] as const) {
      await register.submit({ type, id: 'acme' }, by);
    }
    expect(await answer(add('acme'))).to.deep.equal({ changed: false, administrator: 'created' });
  });

  it('changes nothing if the client is that of another tenant', async () => {
    const { answer, types } = world();
    await answer(add('acme'));
    const before = types();
    expect(await answer(add('beta')))
      .to.have.property('refused')
      .that.contains('another client');
    expect(types()).to.deep.equal(before);
  });

  it('changes nothing if it is malformed, and repeats no secret', async () => {
    const { answer, types } = world();
    const malformed = [
      ...[add('default'), add('a b'), add(''), add('../x'), add(7), add('__proto__')],
      ...[add('acme', 'text'), add('acme', null), add('acme', {}), add('acme', [])],
      ...[
        { ...FIRST, password: 7 },
        { ...FIRST, password: 'guessable' },
      ].map((first) => add('acme', first)),
      ...[
        { ...FIRST, email: 'nobody' },
        { ...FIRST, clientSecret: 'short secret' },
      ].map((first) => add('acme', first)),
      { type: 'SuspendTenant', id: 'acme', first: FIRST },
    ];
    for (const request of malformed) {
      const answered = JSON.stringify(await answer(request));
      expect(answered, JSON.stringify(request)).to.contain('refused');
      expect(answered).to.not.match(/guessable|short secret|Correct-Horse|long enough/);
    }
    expect(types()).to.deep.equal([]);
  });

  it('needs more than the journal of tenants', async () => {
    const { register, types } = world();
    const alone = await answerTenantRequest({ register, access: undefined }, add('acme'));
    expect(alone).to.have.property('refused');
    expect(types()).to.deep.equal([]);
  });
});
