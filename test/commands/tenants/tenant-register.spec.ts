import { expect } from 'chai';
import { createTenantDirectory } from '#commands/tenants/processes/tenant-directory.ts';
import { createTenantRegister, readTenants } from '#commands/tenants/processes/tenant-register.ts';
import type { TenantCommand } from '#commands/tenants/tenants.ts';
import { systemClock, systemIds, systemScheduler } from '#src/adapters/system.ts';
import { audit } from '#src/bootstrap/audit.ts';
import { openTenants } from '#src/bootstrap/tenants.ts';
import { TenantCheck } from '#src/http/tenant-check.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import { tenantsJournal } from '#src/kernel/journal-name.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import type { AppendFate, Faults } from '#test/doubles/memory/faults.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';

const scheduler = systemScheduler;
const ports = { clock: systemClock, ids: systemIds() };
const OPERATOR = { type: 'system', id: 'command line' };
const storeOf = (log: MemoryLog, faults: Faults = {}) =>
  new MemoryEventStore({ scheduler, log, faults });

describe('the register of tenants', () => {
  const ask = (type: TenantCommand['type'], id: string): TenantCommand => ({ type, id });

  it('records each change once, whoever asks for it, and its journal verifies', async () => {
    const log = new MemoryLog();
    const registers = [1, 2, 3].map(() => createTenantRegister(storeOf(log), ports));
    const commands = [
      ...[ask('AddTenant', 'acme'), ask('AddTenant', 'beta'), ask('UseTenant', 'beta')],
      ...[ask('SuspendTenant', 'beta'), ask('UseTenant', 'beta'), ask('AddTenant', 'beta')],
      ask('NameDefaultTenant', 'acme'),
    ];
    for (const command of commands) {
      const changed = await Promise.all(registers.map(({ submit }) => submit(command, OPERATOR)));
      const isDone = command.type === 'UseTenant' && changed.every((one) => !one);
      if (!isDone) expect(changed.filter(Boolean), command.type).to.have.length(1);
    }
    const events = await storeOf(log).read(tenantsJournal, 0, 100);
    expect(events.map(({ type }) => type)).to.deep.equal([
      ...['TenantAdded', 'TenantAdded', 'TenantFirstUsed', 'TenantSuspended', 'TenantAdded'],
      'DefaultTenantNamed',
    ]);
    const verifier = createJournalVerifier(audit, tenantsJournal);
    for (const event of events) expect(verifier.take(event)).to.equal(undefined);
    expect([...verifier.summary().unknown]).to.deep.equal([]);
    const { state, refresh } = readTenants(storeOf(log));
    await refresh();
    expect([...state.byId.values()]).to.deep.equal([
      { id: 'acme', recordedAs: 'default', status: 'active', isUsed: false },
      { id: 'beta', recordedAs: 'beta', status: 'active', isUsed: true },
    ]);
  });

  for (const fate of ['lost', 'unanswered', 'conflict'] as const) {
    it(`asks the log how an append that was ${fate} ended`, async () => {
      const log = new MemoryLog();
      const fates: AppendFate[] = [fate];
      const store = storeOf(log, { append: () => fates.pop() ?? 'ok' });
      const { submit } = createTenantRegister(store, ports);
      await submit(ask('AddTenant', 'acme'), OPERATOR);
      expect(await storeOf(log).read(tenantsJournal, 0, 100)).to.have.length(1);
    });
  }

  it('refuses what contradicts it', async () => {
    const { submit } = createTenantRegister(storeOf(new MemoryLog()), ports);
    const refused = async (command: TenantCommand): Promise<string> =>
      submit(command, OPERATOR).then(
        () => 'taken',
        (error: unknown) => String(error),
      );
    for (const id of ['default', '', '-a', 'a b', 'a:b', 'a/b', 'ä', 'a\n', 'a'.repeat(129)]) {
      expect(await refused(ask('AddTenant', id)), id).to.match(/^TenantRefused: /);
    }
    expect(await refused(ask('SuspendTenant', 'acme'))).to.contain('There is no tenant acme');
    await submit(ask('AddTenant', 'acme'), OPERATOR);
    await submit(ask('UseTenant', 'acme'), OPERATOR);
    expect(await refused(ask('NameDefaultTenant', 'acme'))).to.contain('has data of its own');
    await submit(ask('NameDefaultTenant', 'beta'), OPERATOR);
    expect(await refused(ask('NameDefaultTenant', 'gamma'))).to.contain('belong to beta');
    expect(await refused(ask('NameDefaultTenant', 'beta'))).to.equal('taken');
  });
});

describe('the check of tenants', () => {
  const codeOf = async (check: TenantCheck, tenantId: unknown): Promise<unknown> => {
    try {
      return await check.admit({ tenantId });
    } catch (error) {
      return (error as Refusal).refusal;
    }
  };

  it('admits nobody while the journal cannot be read, once what is known is old', async () => {
    const log = new MemoryLog();
    let isAway = false;
    const store = storeOf(log, { readFails: () => isAway });
    const register = createTenantRegister(store, ports);
    await register.submit({ type: 'AddTenant', id: 'acme' }, OPERATOR);
    let nowMs = 0;
    const directory = createTenantDirectory(register, {
      elapsedMs: () => nowMs,
      sleep: () => new Promise(() => {}),
    });
    const check = new TenantCheck({ claim: 'tenantId', directory: () => directory });
    expect(await codeOf(check, 'acme')).to.equal('acme');
    isAway = true;
    nowMs = 3999;
    expect(check.admit({ tenantId: 'acme' })).to.equal('acme'); // Without waiting.
    nowMs = 4000;
    expect(await codeOf(check, 'acme')).to.equal('TENANTS_UNAVAILABLE');
    expect(await codeOf(check, 'nobody')).to.equal('TENANTS_UNAVAILABLE');
    isAway = false;
    expect(await codeOf(check, 'acme')).to.equal('acme');
    expect(await codeOf(check, 'nobody')).to.equal('TENANT_NOT_FOUND');
    await register.submit({ type: 'SuspendTenant', id: 'acme' }, OPERATOR);
    expect(await codeOf(check, 'acme')).to.equal('TENANT_SUSPENDED');
    expect(check.isSuspended('acme')).to.equal(true);
  });

  it('admits a tenant for the first time only when that is recorded', async () => {
    const log = new MemoryLog();
    let fate: AppendFate = 'ok';
    const register = createTenantRegister(storeOf(log, { append: () => fate }), ports);
    await register.submit({ type: 'AddTenant', id: 'acme' }, OPERATOR);
    const directory = createTenantDirectory(register, scheduler);
    const check = new TenantCheck({ claim: 'tenantId', directory: () => directory });
    fate = 'refused';
    expect(await codeOf(check, 'acme')).to.equal('TENANTS_UNAVAILABLE');
    fate = 'ok';
    const all = await Promise.all([1, 2, 3].map(() => codeOf(check, 'acme')));
    expect(all).to.deep.equal(['acme', 'acme', 'acme']);
    const types = (await storeOf(log).read(tenantsJournal, 0, 9)).map(({ type }) => type);
    expect(types).to.deep.equal(['TenantAdded', 'TenantFirstUsed']);
    directory.close();
  });

  it('knows a tenant by what its events record, for those who get tokens', async () => {
    const register = createTenantRegister(storeOf(new MemoryLog()), ports);
    for (const id of ['acme', 'beta']) await register.submit({ type: 'AddTenant', id }, OPERATOR);
    await register.submit({ type: 'NameDefaultTenant', id: 'acme' }, OPERATOR);
    const directory = createTenantDirectory(register, scheduler);
    const check = new TenantCheck({ claim: 'tenantId', directory: () => directory });
    const entered = async (recordedAs: string): Promise<unknown> => {
      try {
        return await check.enter(recordedAs);
      } catch (error) {
        return (error as Refusal).refusal;
      }
    };
    expect(await entered('default')).to.equal('acme');
    expect(await entered('beta')).to.equal('beta');
    expect(check.enter('beta'), 'at once, from then on').to.equal('beta');
    expect(await entered('gamma')).to.equal('TENANT_NOT_FOUND');
    await register.submit({ type: 'SuspendTenant', id: 'acme' }, OPERATOR);
    expect(await entered('default')).to.equal('TENANT_SUSPENDED');
    expect([check.nameOf('default'), check.nameOf('gamma')]).to.deep.equal(['acme', undefined]);
    directory.close();
  });

  it('admits nobody while the server starts', async () => {
    const check = new TenantCheck({ claim: 'tenantId', directory: () => undefined });
    expect(await codeOf(check, 'acme')).to.equal('TENANTS_UNAVAILABLE');
    expect(await codeOf(check, undefined)).to.equal('TOKEN_INVALID');
  });

  it('needs an owner only where there are data of one tenant', async () => {
    const log = new MemoryLog();
    const open = (tenancy?: { defaultTenant?: string }) =>
      openTenants(
        storeOf(log),
        tenancy && { claim: 'tenantId', defaultTenant: undefined, ...tenancy },
        { ...ports, scheduler },
      );
    const register = createTenantRegister(storeOf(log), ports);
    for (let n = 0; n < 101; n += 1) {
      await register.submit({ type: 'AddTenant', id: `t${n}` }, OPERATOR);
    }
    expect(await open()).to.equal(undefined);
    const served = await open({});
    expect(served?.tenancy).to.deep.equal({ defaultTenant: undefined });
    served?.directory.close();
    await register.submit({ type: 'UseTenant', id: 't7' }, OPERATOR);
    const error = await open().catch(String);
    expect(error).to.contain('would hide the data of 1 tenants, such as t7');
  });
});
