import { createAccount, posted, transfer } from '#test/e2e/books.ts';
import type { Client } from '#test/support/client.ts';

/** What stops an account for a while, what passes nonetheless, and what ends it. */
export async function stopAccounts(client: Client, at: string): Promise<void> {
  const post = async (path: string, status: number, body?: object): Promise<unknown> => {
    const answer = await client.post(path, body);
    if (answer.status !== status) throw new Error(`${path}: ${answer.text}`);
    return status === 204 ? undefined : answer.json();
  };
  const { id } = await createAccount(client, at, { alias: '@guest' });
  await posted(client, at, transfer('@alice', '@guest', '5'));
  const back = transfer('@guest', '@alice', '5', 'BRL', { pending: true });
  const pending = await posted(client, at, back);
  await post(`${at}/accounts/${id}/block`, 200);

  const second = at.replace('/v1/', '/v2/');
  const exceptions = [
    { accountAlias: '@guest', amount: '5', ttl: 60 },
    { accountAlias: '@guest', amount: '1.5' },
  ];
  const granted = await post(`${second}/accounts/block-exceptions`, 201, { exceptions });
  const [used] = (granted as Granted).exceptions;
  await post(`${second}/transactions/${pending.id}/commit`, 201, used && only(used));
  await post(`${at}/accounts/${id}/unblock`, 200);
  await post(`${second}/accounts/${id}/close`, 204);
}

type Named = Readonly<{ accountBlockExceptionId: string }>;
type Granted = Readonly<{ exceptions: readonly Named[] }>;

const only = ({ accountBlockExceptionId }: Named): Named => ({ accountBlockExceptionId });
