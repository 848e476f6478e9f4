import { expect } from 'chai';
import { routes } from '#src/profiles/routes.ts';
import { clientOf } from '#test/support/client.ts';
import { serverOfBlock } from '#test/support/server.ts';
import { createAccount, got, openBook, posted, transfer, type Account } from './books.ts';

describe('versions', function () {
  const second = routes.some(({ path }) => path.startsWith('/v2/'));
  if (!second) {
    it('address the same state (pending: this release has no routes under /v2)');
    return;
  }

  const client = clientOf(serverOfBlock());
  after(() => client.close());

  it('address the same state', async () => {
    const book = await openBook(client, { accounts: ['@alice'] });
    const v2 = book.at.replace('/v1/', '/v2/');
    const made = await createAccount(client, v2, { alias: '@second' });
    expect(await got<Account>(client, `${book.at}/accounts/${made.id}`)).to.deep.equal(made);
    await posted(client, book.at, transfer('@external/BRL', '@second', '1'));
    for (const path of ['', '/assets', '/accounts', '/accounts/alias/@second', '/balances']) {
      const one = await client.get(book.at + path);
      expect((await client.get(v2 + path)).text).to.equal(one.text);
    }
  });
});
