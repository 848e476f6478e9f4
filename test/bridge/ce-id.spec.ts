import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { ceId } from '#src/bridge/ce-id.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant, type Instant, type Micros } from '#src/kernel/instant.ts';

const EVENT = '0190a1c0-7f3e-7c1a-9d10-2a6a5c1d0001' as Uuid;
const OPERATION = '0190a1c0-0000-7000-8000-000000000001' as Uuid;
const AT = '2026-01-05T12:00:00.123999Z' as Instant;

describe('the id of a CloudEvent', () => {
  it('is a UUIDv7 of the millisecond at which the event was recorded, and of the hash of where it comes from', () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.integer({ min: 0, max: 4_000_000_000_000_000 }),
        fc.constantFrom('transaction.posted', 'balance.changed'),
        fc.constantFrom('', OPERATION),
        (event, micros, key, part) => {
          const digest = createHash('sha256').update([event, key, part].join('\n')).digest();
          const bits = [...digest].map((byte) => byte.toString(2).padStart(8, '0')).join('');
          const time = BigInt(Math.floor(micros / 1000))
            .toString(2)
            .padStart(48, '0');
          const all = `${time}0111${bits.slice(0, 12)}10${bits.slice(12, 74)}`;
          const hex = BigInt(`0b${all}`).toString(16).padStart(32, '0');
          const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

          const at = formatInstant(micros as Micros);
          expect(ceId(event as Uuid, at, key, part)).to.equal(uuid);
        },
      ),
    );
  });

  it('differs between the keys and the operations of one event', () => {
    const ids = [
      ceId(EVENT, AT, 'transaction.posted'),
      ceId(EVENT, AT, 'balance.changed', OPERATION),
      ceId(EVENT, AT, 'balance.changed'),
    ];
    expect(new Set(ids)).to.have.length(3);
    expect(new Set(ids.map((id) => id.slice(0, 13)))).to.have.length(1);
  });

  it('stays what it was in earlier releases', () => {
    expect(ceId(EVENT, AT, 'balance.changed', OPERATION)).to.equal(
      '019b8e07-467b-7b8e-8b64-51b2c5d4ac24',
    );
  });
});
