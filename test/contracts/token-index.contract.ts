import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Uuid } from '#src/kernel/ids.ts';
import { recordSecretName } from '#src/kernel/record-secret.ts';
import { Destroyed, type SecretStore } from '#src/ports/secret-store.ts';
import type { IndexedRecord, RecordAddress, TokenIndex } from '#src/ports/token-index.ts';
import { newUuid } from './samples.ts';
import { bytes } from './secret-store.contract.ts';

export type OpenIndex = Readonly<{ index: TokenIndex; secrets: SecretStore }>;

/** Every token index keeps these promises, together with the secret store beside it. */
export function tokenIndexContract(open: () => Promise<OpenIndex>): void {
  let index: TokenIndex;
  let secrets: SecretStore;
  let organizationId: Uuid;

  beforeEach(async () => {
    ({ index, secrets } = await open());
    organizationId = newUuid();
  });
  afterEach(() => Promise.all([index.close(), secrets.close()]));

  const newRecord = (): RecordAddress => ({ organizationId, recordId: newUuid() });
  const secretOf = async ({ recordId }: RecordAddress) => {
    const found = await secrets.get(recordSecretName(organizationId, recordId));
    return found && Buffer.from(found.value).toString();
  };
  const found = (token: string) => index.find(organizationId, token, { limit: 10 });
  const refusal = (work: Promise<unknown>) => work.then(String, (error: unknown) => error);

  it('stores the secret of a record with its tokens', async () => {
    const record = newRecord();
    const [a, b, claimed] = newTokens(3);
    const entry = { tokens: [a, b], claims: [{ token: claimed }] };
    expect(await index.add(record, bytes('wrapped'), entry)).to.equal(undefined);

    expect(await secretOf(record)).to.equal('wrapped');
    expect(await found(a)).to.deep.equal([record.recordId]);
    expect(await found(b)).to.deep.equal([record.recordId]);
    expect(await found(claimed)).to.deep.equal([]);
    expect(await index.holder(claimed)).to.equal(record.recordId);
    expect(await index.holder(a)).to.equal(undefined);
  });

  it('finds nothing by a token that no record has', async () => {
    const [token] = newTokens(1);
    expect(await found(token)).to.deep.equal([]);
    expect(await index.holder(token)).to.equal(undefined);
  });

  it('stores records without tokens, any number of them', async () => {
    const records = [newRecord(), newRecord(), newRecord()];
    for (const record of records) await index.add(record, bytes('one'), NOTHING);
    for (const record of records) expect(await secretOf(record)).to.equal('one');
  });

  it('finds all records with a token by pages, in the order of their ids', async () => {
    const [token] = newTokens(1);
    const records = Array.from({ length: 25 }, newRecord);
    await Promise.all(
      records.map((one) => index.add(one, bytes('-'), { tokens: [token], claims: [] })),
    );
    const ids: Uuid[] = [];
    for (;;) {
      const after = ids.at(-1);
      const page = await index.find(organizationId, token, { limit: 10, ...(after && { after }) });
      if (page.length === 0) break;
      ids.push(...page);
    }
    expect(ids).to.deep.equal(records.map(({ recordId }) => recordId).sort());
  });

  it('stores nothing of a record whose claim another record holds', async () => {
    const [token, free, unique] = newTokens(3);
    const [first, second] = [newRecord(), newRecord()];
    await index.add(first, bytes('one'), { tokens: [], claims: [{ token: unique }] });

    const entry = { tokens: [token], claims: [{ token: free }, { token: unique }] };
    const taken = { token: unique, recordId: first.recordId };
    expect(await index.add(second, bytes('two'), entry)).to.deep.equal(taken);
    expect(await secretOf(second)).to.equal(undefined);
    expect(await found(token)).to.deep.equal([]);
    expect(await index.holder(free)).to.equal(undefined);
  });

  it('lets exactly one of several claimants win', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [unique] = newTokens(1);
      const records = [newRecord(), newRecord(), newRecord()];
      const results = await Promise.all(
        records.map((one) =>
          index.add(one, bytes('-'), { tokens: [], claims: [{ token: unique }] }),
        ),
      );
      const won = records.filter((_, n) => results[n] === undefined);
      expect(won.map(({ recordId }) => recordId)).to.deep.equal([await index.holder(unique)]);
      const losers = records.filter((one) => !won.includes(one));
      for (const loser of losers) expect(await secretOf(loser)).to.equal(undefined);
      for (const taken of results) {
        if (taken !== undefined) {
          expect(taken).to.deep.equal({ token: unique, recordId: won[0]!.recordId });
        }
      }
    }
  });

  it('passes a claim on only from the holder that is expected', async () => {
    const [unique] = newTokens(1);
    const [first, second, third] = [newRecord(), newRecord(), newRecord()];
    await index.add(first, bytes('one'), { tokens: [], claims: [{ token: unique }] });
    const claim = (expected: Uuid) => ({ tokens: [], claims: [{ token: unique, expected }] });

    expect(await index.add(second, bytes('two'), claim(third.recordId))).to.deep.equal({
      token: unique,
      recordId: first.recordId,
    });
    expect(await index.add(second, bytes('two'), claim(first.recordId))).to.equal(undefined);
    expect(await index.holder(unique)).to.equal(second.recordId);

    await index.add(third, bytes('three'), NOTHING);
    expect(await index.extend(third, claim(first.recordId))).to.deep.equal({
      token: unique,
      recordId: second.recordId,
    });
    expect(await index.extend(third, claim(second.recordId))).to.equal(undefined);
    expect(await index.holder(unique)).to.equal(third.recordId);
    expect(await index.extend(third, claim(second.recordId))).to.equal(undefined);
  });

  it('takes a claim that has become free since its holder was read', async () => {
    const [unique] = newTokens(1);
    const [first, second] = [newRecord(), newRecord()];
    await index.add(first, bytes('one'), { tokens: [], claims: [{ token: unique }] });
    await index.erase(first);
    const entry = { tokens: [], claims: [{ token: unique, expected: first.recordId }] };
    expect(await index.add(second, bytes('two'), entry)).to.equal(undefined);
    expect(await index.holder(unique)).to.equal(second.recordId);
  });

  it('lets exactly one of several take over the same claim', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [unique] = newTokens(1);
      const [first, ...others] = [newRecord(), newRecord(), newRecord(), newRecord()];
      await index.add(first, bytes('-'), { tokens: [], claims: [{ token: unique }] });
      const claim = { token: unique, expected: first.recordId };
      const results = await Promise.all(
        others.map((one) => index.add(one, bytes('-'), { tokens: [], claims: [claim] })),
      );
      const won = others.filter((_, n) => results[n] === undefined);
      expect(won.map(({ recordId }) => recordId)).to.deep.equal([await index.holder(unique)]);
    }
  });

  it('keeps what a change names, and removes the rest', async () => {
    const record = newRecord();
    const [old, kept, added, oldClaim, newClaim, foreign] = newTokens(6);
    await index.add(record, bytes('-'), { tokens: [old, kept], claims: [{ token: oldClaim }] });
    await index.extend(record, { tokens: [kept, added], claims: [{ token: newClaim }] });
    for (const token of [old, kept, added]) expect(await found(token)).to.have.length(1);

    await index.retain(record, { tokens: [kept, added, foreign], claims: [newClaim, foreign] });
    for (const token of [kept, added]) expect(await found(token)).to.have.length(1);
    for (const token of [old, foreign]) expect(await found(token)).to.deep.equal([]);
    expect(await index.holder(oldClaim)).to.equal(undefined);
    expect(await index.holder(foreign)).to.equal(undefined);
    expect(await index.holder(newClaim)).to.equal(record.recordId);
    expect(await secretOf(record)).to.equal('-');

    await index.retain(record, { tokens: [], claims: [] });
    expect(await found(kept)).to.deep.equal([]);
    expect(await index.holder(newClaim)).to.equal(undefined);
  });

  it('adds nothing to a record whose claim fails', async () => {
    const [token, unique] = newTokens(2);
    const [first, second] = [newRecord(), newRecord()];
    await index.add(first, bytes('-'), { tokens: [], claims: [{ token: unique }] });
    await index.add(second, bytes('-'), NOTHING);
    const taken = await index.extend(second, { tokens: [token], claims: [{ token: unique }] });
    expect(taken).to.deep.equal({ token: unique, recordId: first.recordId });
    expect(await found(token)).to.deep.equal([]);
  });

  it('erases a record with all that finds it, and its twin stays', async () => {
    const [shared, unique, twins] = newTokens(3);
    const [record, twin] = [newRecord(), newRecord()];
    await index.add(record, bytes('one'), { tokens: [shared], claims: [{ token: unique }] });
    await index.add(twin, bytes('two'), { tokens: [shared], claims: [{ token: twins }] });

    await index.erase(record);
    await index.erase(record);
    expect(await secretOf(record)).to.equal(undefined);
    expect(await found(shared)).to.deep.equal([twin.recordId]);
    expect(await index.holder(unique)).to.equal(undefined);
    expect(await secretOf(twin)).to.equal('two');
    expect(await index.holder(twins)).to.equal(twin.recordId);
  });

  it('restores nothing of an erased record by a late write', async () => {
    const [token, unique] = newTokens(2);
    const entry = { tokens: [token], claims: [{ token: unique }] };
    const [record, never] = [newRecord(), newRecord()];
    await index.add(record, bytes('one'), NOTHING);
    await index.erase(record);
    await index.erase(never);

    for (const one of [record, never]) {
      expect(await refusal(index.add(one, bytes('two'), entry))).to.be.instanceOf(Destroyed);
      expect(await refusal(index.extend(one, entry))).to.be.instanceOf(Destroyed);
      await index.retain(one, { tokens: [token], claims: [unique] });
      expect(await secretOf(one)).to.equal(undefined);
    }
    expect(await found(token)).to.deep.equal([]);
    expect(await index.holder(unique)).to.equal(undefined);
  });

  it('refuses a second secret for a record, and tokens for one without', async () => {
    const [record, unknown] = [newRecord(), newRecord()];
    await index.add(record, bytes('one'), NOTHING);
    expect(await refusal(index.add(record, bytes('two'), NOTHING))).to.be.instanceOf(Destroyed);
    expect(await secretOf(record)).to.equal('one');
    expect(await refusal(index.extend(unknown, NOTHING))).to.be.instanceOf(Destroyed);
  });

  it('carries out what is good of many changes at once', async () => {
    const [unique] = newTokens(1);
    const records = Array.from({ length: 20 }, newRecord);
    await index.add(records[0]!, bytes('first'), { tokens: [], claims: [{ token: unique }] });
    const results = await Promise.allSettled(
      records.map((record, n) =>
        index.add(record, bytes('-'), { tokens: [], claims: n === 7 ? [{ token: unique }] : [] }),
      ),
    );
    expect(results.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))).to.deep.equal([
      0,
    ]);
    const stored = await Promise.all(records.map(secretOf));
    expect(stored.flatMap((value, n) => (value === '-' ? [] : [n]))).to.deep.equal([0, 7]);
  });

  it('lists all records that are found by something', async () => {
    const records = Array.from({ length: 230 }, newRecord);
    const expected: IndexedRecord[] = [];
    for (const [n, record] of records.entries()) {
      const [token, unique] = newTokens(2);
      const tokens = n % 3 === 0 ? [] : [token];
      const claims = n % 2 === 0 ? [] : [unique];
      const entry = { tokens, claims: claims.map((one) => ({ token: one })) };
      await index.add(record, bytes('-'), entry);
      if (tokens.length + claims.length > 0) expected.push({ ...record, tokens, claims });
    }
    const listed: IndexedRecord[] = [];
    for await (const one of index.list()) {
      if (one.organizationId === organizationId) listed.push(one);
    }
    const byId = (a: RecordAddress, b: RecordAddress) => (a.recordId < b.recordId ? -1 : 1);
    expect(listed.sort(byId)).to.deep.equal(expected.sort(byId));
  });
}

const NOTHING = { tokens: [], claims: [] };

/** As many tokens as the caller names. */
const newTokens = (count: number) =>
  Array.from({ length: count }, () => randomBytes(32).toString('base64url')) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
