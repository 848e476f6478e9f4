import { expect } from 'chai';
import type { Client } from '#test/support/client.ts';
import {
  createAccount,
  createAsset,
  createLedger,
  createOrganization,
  made,
  posted,
  transfer,
  type Book,
} from './books.ts';
import type { Stage } from './provocations.ts';
import {
  both,
  createOperationRoute,
  createTransactionRoute,
  type OperationRoute,
} from './routes.ts';
import { inScope, type Scope } from './v2-request.ts';

/** What version 2 answers when legs are in several ledgers. */
export type Group = Readonly<{
  groupId: string;
  revertedGroupId?: string;
  transactions: readonly (Readonly<{
    order: number;
    id: string;
    organizationId: string;
    ledgerId: string;
  }> &
    Readonly<Record<string, unknown>>)[];
}>;

/** A ledger that takes part in groups, with accounts that have 100 each. */
export async function openGroupLedger(
  client: Client,
  organizationId: string,
  name: string,
  aliases: readonly string[],
): Promise<Scope & Readonly<{ at: string }>> {
  const settings = { crossLedger: { enabled: true } };
  const { id: ledgerId } = await createLedger(client, organizationId, { name, settings });
  const at = `/v1/organizations/${organizationId}/ledgers/${ledgerId}`;
  await createAsset(client, at, { code: 'BRL', type: 'currency' });
  for (const alias of aliases) {
    await createAccount(client, at, { alias });
    await posted(client, at, transfer('@external/BRL', alias, '100'));
  }
  return { organizationId, ledgerId, at };
}

/** Groups that cannot be committed, cancelled or reverted, each member named by its reason. */
export async function stageGroups(client: Client, { org }: Book): Promise<Stage> {
  const open = (name: string, organization = org) =>
    openGroupLedger(client, organization, name, ['@alice', '@carol']);
  const own = await open('Members');
  const second = await open('Second');
  await createAsset(client, second.at, { code: 'USD', type: 'currency', name: 'Dollar' });
  await createAccount(client, second.at, { alias: '@usd', assetCode: 'USD' });
  const abroad = await createOrganization(client, { legalName: 'Second' });
  const strict = await open('Strict', abroad.id);
  const leaving = await open('Leaving');
  const orphan = await open('Orphan');

  const member = async (kind: string, to: Scope): Promise<string> => {
    const group = await made<Group>(client, `/v2/transactions/${kind}`, {
      asset: 'BRL',
      amount: '1',
      debits: [inScope(own).leg('@alice', '1')],
      credits: [inScope(to).leg('@carol', '1')],
    });
    return group.transactions[0]?.id ?? '';
  };
  const canceled = await member('hold', second);
  await made(
    client,
    `${own.at.replace('/v1/', '/v2/')}/transactions/${canceled}/cancel`,
    undefined,
  );
  const stage = {
    'the ledger of members': own.ledgerId,
    'the second ledger': second.ledgerId,
    'the second organization': abroad.id,
    'the strict ledger abroad': strict.ledgerId,
    'canceled member': canceled,
    'orphaned hold': await member('hold', orphan),
    'orphaned member': await member('direct', orphan),
    'member beside one that left': await member('direct', leaving),
    'member beside a strict one': await member('direct', strict),
  };
  const set = async ({ at }: Readonly<{ at: string }>, settings: object) => {
    const answer = await client.patch(`${at}/settings`, settings);
    expect(answer.status, answer.text).to.equal(200);
  };
  await set(leaving, { crossLedger: { enabled: false } });
  await set(strict, { accounting: { validateRoutes: true } });
  expect((await client.send({ method: 'DELETE', path: orphan.at })).status).to.equal(204);
  return { ...stage, ...(await stageBridges(client, org, own)) };
}

/** Routes without a bridge, or with two; and groups whose routes came to that since they were begun. */
async function stageBridges(client: Client, org: string, own: Scope): Promise<Stage> {
  const guided = await openGroupLedger(client, org, 'Guided', ['@carol']);
  const settings = { accounting: { validateRoutes: true } };
  const set = await client.patch(`${guided.at}/settings`, settings);
  expect(set.status, set.text).to.equal(200);

  const at = `/v2/organizations/${org}`;
  const names = ['direct', 'hold', 'commit', 'cancel', 'revert'] as const;
  const entries = Object.fromEntries(names.map((name) => [name, both]));
  const lay = (more = {}) => {
    const accountingEntries = { ...entries, ...more };
    return createOperationRoute(client, at, 'bidirectional', { accountingEntries });
  };
  const plain = await lay();
  const pay = async (bridges: readonly OperationRoute[]) => {
    const template = await createTransactionRoute(client, at, [plain, ...bridges]);
    const more = { operationRouteId: plain.id, routeId: template.id };
    const debits = [inScope(own).leg('@alice', '1')];
    const credits = [inScope(guided).leg('@carol', '1')];
    const post = async (kind: string): Promise<string> => {
      const body = { asset: 'BRL', amount: '1', debits, credits, ...more };
      const group = await made<Group>(client, `/v2/transactions/${kind}`, body);
      return group.transactions[0]?.id ?? '';
    };
    return { template: template.id, post };
  };
  const member = async (kind: string, what: 'missing' | 'ambiguous'): Promise<string> => {
    const bridge = await lay({ crossLedger: both });
    const { template, post } = await pay([bridge]);
    const id = await post(kind);
    const other = await lay({ crossLedger: both });
    const changed =
      what === 'missing'
        ? await client.patch(`${at}/operation-routes/${bridge.id}`, {
            accountingEntries: { crossLedger: null },
          })
        : await client.patch(`${at}/transaction-routes/${template}`, {
            operationRoutes: [plain.id, bridge.id, other.id],
          });
    expect(changed.status, changed.text).to.equal(200);
    return id;
  };
  const two = [await lay({ crossLedger: both }), await lay({ crossLedger: both })];
  return {
    'the guided ledger': guided.ledgerId,
    'the plain route': plain.id,
    'the template without a bridge': (await pay([])).template,
    'the template with two bridges': (await pay(two)).template,
    'hold without a bridge': await member('hold', 'missing'),
    'hold with two bridges': await member('hold', 'ambiguous'),
    'member without a bridge': await member('direct', 'missing'),
    'member with two bridges': await member('direct', 'ambiguous'),
  };
}
