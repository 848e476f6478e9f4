import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { definitions } from '#src/bootstrap/definitions.ts';
import { definitions as companion } from '#src/bridge/companion/definitions.ts';
import type { Definition } from '#src/bridge/definition.ts';
import { definitions as fees } from '#src/bridge/fees/definitions.ts';
import type { ObjectSchema } from '#src/bridge/payload-schema.ts';
import { definitions as registry } from '#src/bridge/registry/definitions.ts';
import { START, type NewEvent } from '#src/ports/event-store.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { topicOf } from '#test/support/relayed.ts';
import { catalogText, membersText } from './contract.ts';

const all = [...definitions, ...companion];
const ofLedger = definitions.filter((one) => !registry.includes(one) && !fees.includes(one));
/** Those that some event of the log yields; the others wait for their component. */
const yielded = definitions.filter(({ types }) => types.length > 0);
const read = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));

/** Every event type that was ever written, as it was written. */
const logged = Object.values(read('../events/golden.json') as Record<string, NewEvent[]>)
  .flat()
  .filter(({ type, data }) => type !== 'LedgerOpened' || data.includes('createdAt')) // One sample is made up.
  .map((event) => new LoggedEvent({ ...event, stream: 'j', revision: 0, position: START }));

/** The members of a schema as the contract writes them: `f?` is left out when it is empty, `f|null` may be null. */
const notationOf = ({ properties, required }: ObjectSchema): string =>
  Object.entries(properties)
    .map(([name, { type }]) => {
      const isNullable = [type ?? []].flat().includes('null');
      return `${name}${required.includes(name) ? '' : '?'}${isNullable ? '|null' : ''}`;
    })
    .sort()
    .join(' ');

describe('the catalog', () => {
  it('has the events, topics and payloads of the contract, and no others', () => {
    const ours = all.map(({ key, tail, enabled }) => `${key} ${tail}${enabled ? '' : ' off'}`);
    expect(ours.sort()).to.deep.equal(catalogText());
    expect(all.filter(({ enabled }) => enabled)).to.have.length(61);
    for (const { key, payload } of all) {
      expect(`${key}: ${notationOf(payload)}`).to.equal(`${key}: ${membersText(key)}`);
    }
  });

  it('names topics by the formula; the resource of a fee says already that it is one', () => {
    for (const [segment, ones] of Object.entries({
      ledger: ofLedger,
      crm: registry,
      companion,
    })) {
      for (const { key, tail } of ones) expect(tail).to.equal(tailOf(segment, key));
    }
    for (const { key, tail } of fees) expect(`fee_${tail}`).to.equal(tailOf('fee', key));
  });

  it('versions each event by itself', () => {
    const later = all.filter(({ schemaVersion }) => schemaVersion !== '1.0.0');
    expect(later.map(({ key, schemaVersion }) => `${key} ${schemaVersion}`)).to.deep.equal([
      'account.updated 1.1.0',
    ]);
  });
});

describe('records of every event that was ever written', () => {
  const ajv = new Ajv({
    allowUnionTypes: true,
    formats: { uuid: true, 'date-time': true, decimal: true, int64: true },
  });

  for (const definition of yielded) {
    it(`${definition.key}: have the payload of its schema, and all attributes`, () => {
      const { drafts } = topicOf(definition.key);
      const validate = ajv.compile(closed(definition.payload));
      const records = eventsOf(definition).flatMap((event) => {
        const ofOne = drafts(event);
        expect(new Set(ofOne.map(({ headers }) => headers['ce-id'])).size).to.equal(ofOne.length);
        return ofOne;
      });
      expect(records).to.not.deep.equal([]);
      for (const { headers, value, fault } of records) {
        expect(fault).to.equal(undefined);
        expect(validate(JSON.parse(value)), JSON.stringify(validate.errors)).to.equal(true);
        expect(headers).to.include({
          'ce-type': `studio.quipu.${definition.key}`,
          'ce-schemaversion': definition.schemaVersion,
        });
      }
    });
  }

  it('are what they were in earlier releases, byte for byte', () => {
    const records = yielded.map((definition) => {
      const { name, drafts } = topicOf(definition.key);
      const first = eventsOf(definition).find((event) => drafts(event).length > 0);
      return { topic: name, records: first === undefined ? [] : drafts(first) };
    });
    if (process.env['WRITE_GOLDEN'] !== undefined) {
      writeFileSync(
        new URL('golden.json', import.meta.url),
        JSON.stringify(records, null, 2) + '\n',
      );
    }
    expect(records).to.deep.equal(read('golden.json'));
  });
});

const eventsOf = ({ types }: Definition) => logged.filter(({ type }) => types.includes(type));

function tailOf(segment: string, key: string): string {
  const [resource = '', event = ''] = key.replaceAll('-', '_').split('.');
  return `${segment}_${resource}.${event}`;
}

/** Returns the schema with `additionalProperties: false` in each of its objects. */
function closed(schema: object): object {
  const entries = Object.entries(schema).map(([name, value]): [string, unknown] => [
    name,
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? closed(value as object)
      : value,
  ]);
  const isObject = 'properties' in schema && 'required' in schema;
  return { ...Object.fromEntries(entries), ...(isObject && { additionalProperties: false }) };
}
