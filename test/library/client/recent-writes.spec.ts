import { expect } from 'chai';
import { createClient } from '#src/library/client.ts';
import { createRecentWrites } from '#src/library/client/recent-writes.ts';
import { misbehavingServerOfBlock } from '#test/support/misbehaving-server.ts';
import { sharedServer } from '#test/support/server.ts';
import { available, newLedger, pay, transfer } from './ledger.ts';

const encoded = (revisions: object) => Buffer.from(JSON.stringify(revisions)).toString('base64url');
const decoded = (token: unknown): unknown =>
  JSON.parse(Buffer.from(String(token), 'base64url').toString());

describe('recent writes of a client', () => {
  it('are the highest revision of each journal', () => {
    const writes = createRecentWrites();
    expect(writes.token()).to.equal(undefined);
    writes.add(encoded({ 'ledger-a': 3 }));
    writes.add(encoded({ 'ledger-b': 1, 'organization-é?>': 7 }));
    writes.add(encoded({ 'ledger-a': 2 })); // Responses may arrive out of order.
    expect(decoded(writes.token())).to.deep.equal({
      'ledger-a': 3,
      'ledger-b': 1,
      'organization-é?>': 7,
    });
  });

  it('are those of the journals that were written last, within what a server accepts', () => {
    const writes = createRecentWrites();
    const journal = (n: number) =>
      `organization-00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
    for (let n = 0; n < 100; n += 1) writes.add(encoded({ [journal(n)]: Number.MAX_SAFE_INTEGER }));
    writes.add(encoded({ [journal(70)]: 1 }));
    const journals = Object.keys(decoded(writes.token()) as object);
    expect(journals.at(-1)).to.equal(journal(70));
    expect(journals).to.have.members(Array.from({ length: 32 }, (_, n) => journal(68 + n)));
    expect(writes.token()?.length).to.be.below(4096);
  });

  describe('at a server', () => {
    const between = misbehavingServerOfBlock(sharedServer());

    it('go with every read and no write', async () => {
      const client = createClient({ url: between().url });
      const one = await newLedger(client, ['@alice'], { '@alice': '5' });
      const two = await newLedger(client, ['@alice']);
      between().seen.splice(0);
      await pay(client, two, transfer('@external/BRL', '@alice', '7'));
      expect(await available(client, one, '@alice')).to.equal('5');
      expect(await available(client, two, '@alice')).to.equal('7');

      const [write, ...reads] = between().seen.map(({ headers }) => headers['x-consistency-token']);
      expect(write).to.equal(undefined);
      for (const token of reads) {
        expect(decoded(token)).to.include.keys(
          `ledger-${one.ledger_id}`,
          `ledger-${two.ledger_id}`,
        );
      }
    });

    it('give way to a token of yours', async () => {
      const client = createClient({ url: between().url });
      const path = await newLedger(client, ['@alice']);
      const mine = encoded({ [`ledger-${path.ledger_id}`]: 1 });
      between().seen.splice(0);
      const headers = { 'X-Consistency-Token': mine };
      await client.get('/v1/organizations', { headers });
      expect(between().seen[0]?.headers['x-consistency-token']).to.equal(mine);
    });
  });
});
