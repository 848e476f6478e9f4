import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { systemRandomBytes } from '#src/adapters/system.ts';
import { Damaged } from '#src/ports/errors.ts';
import type { ProtectedRecord } from '#src/ports/record-keys.ts';
import { createDataKey } from '#src/runtime/protection/data-key.ts';
import { newUuid } from '#test/contracts/samples.ts';

describe('data key', () => {
  const bytes = randomBytes(32);
  const record: ProtectedRecord = {
    tenantId: 'default',
    organizationId: newUuid(),
    recordId: newUuid(),
  };
  const keyOf = (of: ProtectedRecord, key: Uint8Array = bytes) =>
    createDataKey(of, Uint8Array.from(key), systemRandomBytes);
  const key = keyOf(record);
  const isRefused = (field: string, sealed: string, by = key) => {
    expect(() => by.open(field, sealed), sealed).to.throw(Damaged, /^(?!.*Ada)/);
  };

  it('opens what it sealed, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ minLength: 1 }), (value, field) => {
        const sealed = key.seal(field, value);
        expect(sealed).to.match(/^[\w-]+$/);
        expect(key.open(field, sealed)).to.equal(value);
      }),
    );
  });

  it('seals equal values differently', () => {
    expect(key.seal('name', 'Ada')).to.not.equal(key.seal('name', 'Ada'));
  });

  it('opens nothing in which a bit or a character has changed', () => {
    const sealed = key.seal('name', 'Ada Lovelace');
    const whole = Buffer.from(sealed, 'base64url');
    for (let bit = 0; bit < whole.length * 8; bit += 1) {
      const flipped = Buffer.from(whole);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      isRefused('name', flipped.toString('base64url'));
    }
    for (let length = 0; length < sealed.length; length += 1) {
      isRefused('name', sealed.slice(0, length));
    }
    for (const added of ['=', 'A', ' ', '\n', '!']) isRefused('name', sealed + added);
    isRefused('name', whole.toString('base64').replace(/[^+/]$/, '+'));
  });

  it('opens no value that was moved to another field, record, organization or tenant', () => {
    const sealed = key.seal('name', 'Ada Lovelace');
    for (const field of ['document', 'Name', 'name ', '']) isRefused(field, sealed);
    for (const other of [
      { ...record, recordId: newUuid() },
      { ...record, organizationId: newUuid() },
      { ...record, tenantId: 'another' },
    ]) {
      isRefused('name', sealed, keyOf(other)); // Even under the same key.
    }
    isRefused('name', sealed, keyOf(record, randomBytes(32)));
    expect(keyOf(record).open('name', sealed)).to.equal('Ada Lovelace');
  });

  it('seals and opens several fields by their names', () => {
    const values = { name: 'Ada', 'contact.primaryEmail': 'ada@example.com' };
    const sealed = key.sealFields(values);
    expect(Object.keys(sealed)).to.deep.equal(Object.keys(values));
    expect(key.openFields(sealed)).to.deep.equal(values);
    const swapped = { name: sealed['contact.primaryEmail'] };
    expect(() => key.openFields(swapped)).to.throw(Damaged);
  });

  it('hashes requests with a key that no other record has', () => {
    expect(key.fingerprint('{"a":1}')).to.equal(keyOf(record).fingerprint('{"a":1}'));
    expect(key.fingerprint('{"a":1}')).to.not.equal(key.fingerprint('{"a":2}'));
    expect(key.fingerprint('{"a":1}')).to.not.equal(
      keyOf(record, randomBytes(32)).fingerprint('{"a":1}'),
    );
  });

  it('keeps no readable copy of its bytes', () => {
    const given = randomBytes(32);
    const made = createDataKey(record, given, systemRandomBytes);
    expect(given.every((byte) => byte === 0)).to.equal(true);
    expect(JSON.stringify(made)).to.equal('{}');
  });
});
