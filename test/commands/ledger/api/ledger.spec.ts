import { expect } from 'chai';
import { ledgerWriteRoutes } from '#commands/ledger/api/ledger.ts';
import { createServices } from '#commands/ledger/api/services.ts';
import { systemIds, systemScheduler } from '#src/adapters/system.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import type { Reply } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import type { Route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import { createCommands } from '#src/http/submit.ts';
import type { Journals } from '#src/journal/journals.ts';
import { createOrganization, ORGANIZATION } from '#test/support/ledger-samples.ts';
import { StepWorld } from '#test/support/step-world.ts';

describe('routes of ledgers', () => {
  let world: StepWorld;
  /** How often somebody may be admitted before reads have fallen behind. */
  let admissions: number;

  beforeEach(async () => {
    world = new StepWorld();
    await world.submit({ name: organizationJournal(ORGANIZATION) }, createOrganization());
  });

  async function ask(operationId: string, path: object, body?: object): Promise<Reply> {
    const journals = {
      submit: (to: never, { command }: Readonly<{ command: never }>) => world.submit(to, command),
      fact: () => Promise.resolve({ live: true }),
    } as unknown as Journals;
    const ids = systemIds();
    const overloaded = () => (admissions -= 1) < 0;
    const commands = createCommands(
      journals,
      { overloaded },
      { ids, scheduler: systemScheduler },
      0,
    );
    const components = {
      ledger: createServices({ envName: 'test', transactionBatchMaxSize: 1, feesApplyOnV1: true }),
    };
    const services = { commands, ids, components, existence: { forget: () => {} } };
    const route = (ledgerWriteRoutes as readonly Route[]).find(
      (one) => one.operationId === operationId,
    )!;
    const context = { actor: { type: 'anonymous', id: '' }, tenantId: 'default', requestId: 'r' };
    const request = { operationId, version: 1, path, body, query: {}, context };
    return route.handle(request as unknown as Request, services as unknown as Services);
  }

  const where = { organization_id: ORGANIZATION };
  const names = () => [...world.organization(ORGANIZATION).ledgerNames.keys()];

  it('turn nobody away between two steps, when reads fall behind meanwhile', async () => {
    admissions = 1;
    const { status, body } = await ask('createLedger', where, {
      name: 'Retail',
      status: { code: 'ACTIVE', description: null },
    });
    expect(status).to.equal(201);
    const { id } = JSON.parse(String(body)) as { id: string };
    const ledger = { ...where, ledger_id: id };

    admissions = 1;
    expect((await ask('updateLedger', ledger, { name: 'Shops' })).status).to.equal(200);
    expect(names()).to.deep.equal(['shops']);

    admissions = 1;
    expect((await ask('deleteLedger', ledger)).status).to.equal(204);
    expect(names()).to.deep.equal([]);
    expect(world.typesIn(ledgerJournal(id as never)).at(-1)).to.equal('LedgerClosed');
  });

  it('do nothing for whoever is turned away', async () => {
    admissions = 0;
    const refused = await ask('createLedger', where, { name: 'Retail' }).catch((e: unknown) => e);
    expect(refused).to.be.instanceOf(Refusal).and.include({ refusal: 'TOO_MANY_REQUESTS' });
    expect(names()).to.deep.equal([]);
  });
});
