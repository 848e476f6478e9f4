import { createAccount } from '#test/e2e/books.ts';
import type { Client } from '#test/support/client.ts';

/** What stops an account for a while, and what ends it. */
export async function stopAccounts(client: Client, at: string): Promise<void> {
  const post = async (path: string, status: number): Promise<void> => {
    const answer = await client.post(path);
    if (answer.status !== status) throw new Error(`${path}: ${answer.text}`);
  };
  const { id } = await createAccount(client, at, { alias: '@guest' });
  await post(`${at}/accounts/${id}/block`, 200);
  await post(`${at}/accounts/${id}/unblock`, 200);
  await post(`${at.replace('/v1/', '/v2/')}/accounts/${id}/close`, 204);
}
