import { expect } from 'chai';
import { topicsOf } from '#src/bridge/catalog.ts';
import { definitions } from '#src/bootstrap/definitions.ts';
import type { JournalEvent } from '#src/bridge/journal-event.ts';
import { START, type NewEvent } from '#src/ports/event-store.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';
import { catalogOf, producer, transfer, transferTopics } from '#test/support/relayed.ts';

const logged = (event: NewEvent) =>
  new LoggedEvent({ ...event, stream: 'ledger-1', revision: 0, position: START });
const ofTenant = (tenantId: string): JournalEvent => {
  const { id, type, recordedAt, data } = logged(transfer(1)) as JournalEvent;
  return { id, type, recordedAt, tenantId, data };
};
const [posted, changed] = transferTopics();

describe('records', () => {
  it('carry the attributes as headers, and nothing else', () => {
    const [draft] = posted.drafts(logged(transfer(1)));
    expect(draft?.headers).to.have.all.keys(
      ...['ce-specversion', 'ce-id', 'ce-source', 'ce-type', 'ce-time', 'ce-resourcetype'],
      ...['ce-eventtype', 'ce-schemaversion', 'ce-subject', 'ce-datacontenttype'],
    );
    expect(draft?.headers['ce-time']).to.equal('2026-01-05T10:00:00.001000Z');
  });

  it('name the tenant where there are tenants, in the header and before the key', () => {
    const [acme] = changed.drafts(ofTenant('acme'));
    const [single] = changed.drafts(ofTenant('default'));
    expect(acme?.headers['ce-tenantid']).to.equal('acme');
    expect(single?.headers).to.not.have.property('ce-tenantid');
    expect(acme?.key).to.equal(`acme:${single?.key}`);
  });

  it('have the tenant alone as their key where that is asked for', () => {
    const [topic] = transferTopics({ partitionKey: 'tenant' });
    expect(topic.drafts(ofTenant('acme'))[0]?.key).to.equal('acme');
    expect(topic.drafts(ofTenant('default'))[0]?.key).to.equal('default');
  });

  it('name the owner of what a single tenant recorded, once there are several', () => {
    const [, aggregate] = transferTopics({ defaultTenant: 'acme' });
    const [ofOwner] = aggregate.drafts(ofTenant('default'));
    const [ofOther] = aggregate.drafts(ofTenant('beta'));
    const [single] = changed.drafts(ofTenant('default'));
    expect(ofOwner?.headers).to.deep.equal({ ...single?.headers, 'ce-tenantid': 'acme' });
    expect(ofOther?.headers).to.deep.equal({ ...single?.headers, 'ce-tenantid': 'beta' });
    expect(ofOwner?.key).to.equal(`acme:${single?.key}`);
    const [topic] = transferTopics({ defaultTenant: 'acme', partitionKey: 'tenant' });
    expect(topic.drafts(ofTenant('default'))[0]?.key).to.equal('acme');
  });

  it('that may not go out say why', () => {
    const fault = (source: string) =>
      transferTopics({ source })[0].drafts(logged(transfer(1)))[0]?.fault;
    expect(fault('quipu\nledger')).to.match(/ce-source has a control character/);
    expect(fault('x'.repeat(2049))).to.match(/ce-source exceeds 2048 bytes/);
    expect(fault('x'.repeat(2048))).to.equal(undefined);
    expect(fault('Loan Core/BR')).to.equal(undefined); // Legal, though it is no reference to a URI.
  });

  it('of a damaged event are one, with what can be told', () => {
    const [draft, ...more] = changed.drafts(logged({ ...transfer(1), data: '{"transac' }));
    expect(more).to.deep.equal([]);
    expect(draft?.fault).to.match(/SyntaxError/);
    expect(draft?.headers).to.include({ 'ce-type': 'studio.quipu.balance.changed' });
  });
});

describe('topics', () => {
  it('follow the formula of the contract', () => {
    const ofOthers = /^(fee-|holder|instrument|encryption)/;
    for (const { key, tail } of definitions.filter(({ key }) => !ofOthers.test(key))) {
      const [resource = '', event = ''] = key.replaceAll('-', '_').split('.');
      expect(tail).to.equal(`ledger_${resource}.${event}`);
    }
    expect(catalogOf()).to.have.length(49);
  });

  it('are left out when a policy says so', () => {
    const off = new Map([['balance.changed', { enabled: false }]]);
    expect(catalogOf({}, off)).to.have.length(48);
  });

  it('are refused when two definitions share one, or its name is too long for a broker', () => {
    const [definition] = definitions;
    expect(() => topicsOf(producer, new Map(), [definition!, definition!])).to.throw(/Two/);
    const long = { ...producer, platform: 'p'.repeat(230) };
    expect(() => topicsOf(long, new Map(), definitions)).to.throw(/too long/);
  });
});
