import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { indexTable as whole } from '#src/bootstrap/index-table.ts';
import { parseData } from '#src/kernel/event-data.ts';
import { indexTable, namesInText, namesOf, type IndexedEvents } from '#src/kernel/index-table.ts';

const NOTHING: IndexedEvents = { names: {}, processes: [] };
const named = (type: string): IndexedEvents => ({ ...NOTHING, names: { [type]: () => [] } });
const begun = (type: string): IndexedEvents['processes'][number] => {
  return { begins: { [type]: () => 'key' }, ends: {} };
};

describe('index table', () => {
  it('refuses a type that two components declare', () => {
    expect(() => indexTable([named('Opened'), named('Opened')])).to.throw('Opened');
    const other = { ...NOTHING, processes: [begun('Opened')] };
    expect(() => indexTable([named('Opened'), other])).to.throw('Opened');
  });

  it('refuses a type with which two processes begin', () => {
    const twice = { ...NOTHING, processes: [begun('Opened'), begun('Opened')] };
    expect(() => indexTable([twice])).to.throw('Opened');
  });

  it('lets one type end several processes', () => {
    const ends = { Ended: () => ({ key: 'key' }) };
    const processes = [
      { begins: {}, ends },
      { begins: {}, ends },
    ];
    expect(indexTable([{ ...NOTHING, processes }]).get('Ended')?.ends).to.have.length(2);
  });

  it('gives the same names from the text of an event as from its data', () => {
    const golden = JSON.parse(
      readFileSync(new URL('../events/golden.json', import.meta.url), 'utf8'),
    ) as Readonly<Record<string, readonly Readonly<{ type: string; data: string }>[]>>;
    const kinds = new Set<string>();
    for (const { type, data } of Object.values(golden).flat()) {
      const names = namesOf(whole, { type, data: parseData(data) });
      expect(namesInText(whole, { type, data }), type).to.deep.equal(names);
      for (const { kind } of names) kinds.add(kind);
    }
    expect([...kinds].sort()).to.deep.equal(['feeDebt', 'group', 'reversal', 'transaction']);
  });

  it('gives no names to types that nobody declares', () => {
    expect(namesOf(whole, { type: 'Unheard', data: {} })).to.deep.equal([]);
    expect(namesInText(whole, { type: 'Unheard', data: '{' })).to.deep.equal([]);
  });
});
