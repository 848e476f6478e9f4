import { openAccount } from './bank.ts';
import type { ExampleApi } from './example-api.ts';

/** Runs the forms of version 2, whose legs name their ledger themselves, and what goes with them. */
export async function exampleScopedTransactions(api: ExampleApi): Promise<void> {
  const { call } = api;
  const account = await call<{ organizationId: string; ledgerId: string }>('getAccount');
  const { organizationId, ledgerId } = account;
  const transfer = (from: string, to: string, amount: string, description: string) => ({
    asset: 'BRL',
    amount,
    description,
    debits: [{ alias: from, organizationId, ledgerId, amount }],
    credits: [{ alias: to, organizationId, ledgerId, amount }],
  });
  await call('createDirectTransaction', {
    body: { ...transfer('@alice', '@bruno', '20', 'Cinema'), scheme: 'PIX' },
  });
  const held = async (description: string): Promise<string> => {
    const body = transfer('@alice', '@bruno', '15', description);
    return (await call('createHoldTransaction', { body })).id;
  };
  const blocking = transfer('@alice', '@bruno', '5', 'Court order 77/2026');
  await call('createBlockTransaction', { body: blocking });
  await call('createUnblockTransaction', {
    body: transfer('@bruno', '@alice', '5', 'Court order 77/2026 lifted'),
  });
  await call('createTransactionBatchV2', {
    body: {
      transactions: [
        { action: 'direct', order: 1, ...transfer('@alice', '@bruno', '8', 'Bus ticket') },
      ],
    },
  });

  const commitment = await held('Taxi');
  const exception = async (amount: string): Promise<object> => {
    const { exceptions } = await call<{
      exceptions: readonly Readonly<{ accountBlockExceptionId: string }>[];
    }>('createAccountBlockExceptions', {
      body: { exceptions: [{ accountAlias: '@alice', amount, ttl: 300 }] },
    });
    const [{ accountBlockExceptionId } = { accountBlockExceptionId: '' }] = exceptions;
    return { accountBlockExceptionId };
  };
  await call('blockAccount');
  await call('commitTransaction', {
    path: { transaction_id: commitment },
    body: await exception('15'),
  });
  await call('unblockAccount');
  const paid = await call('createDirectTransaction', {
    body: transfer('@bruno', '@alice', '11', 'Book'),
  });
  await call('blockAccount');
  await call('revertTransaction', {
    path: { transaction_id: paid.id },
    body: await exception('11'),
  });
  await call('unblockAccount');
  const closing = await openAccount(api, '@closing');
  await call('closeAccount', { path: { account_id: closing } });
}
