import { expect } from 'chai';
import { HTTP, type CloudEvent } from 'cloudevents';
import { structuredEvent } from '#src/kernel/structured-event.ts';

const headers = {
  'ce-specversion': '1.0',
  'ce-id': '0190a1c0-7f3e-7c1a-9d10-2a6a5c1d0001',
  'ce-source': 'quipu.ledger',
  'ce-type': 'studio.quipu.account.created',
  'ce-time': '2026-01-05T12:00:00.123456Z',
  'ce-resourcetype': 'account',
  'ce-eventtype': 'created',
  'ce-schemaversion': '1.0.0',
  'ce-subject': 'a "quoted" subject, ünïcode',
  'ce-tenantid': 'acme',
  'ce-systemevent': 'true',
  'ce-datacontenttype': 'application/json',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};

describe('structured event', () => {
  it('has every attribute as in the headers, and the data of the body', () => {
    const value = '{"amount":"10.50","big":12345678901234567890,"list":[]}';
    const text = structuredEvent({ headers, value });
    expect(text).to.include(`"data":${value}`);
    const { data, traceparent, ...attributes } = JSON.parse(text) as Record<string, unknown>;
    expect(data).to.deep.equal(JSON.parse(value));
    expect(traceparent).to.equal(headers.traceparent);
    const asHeaders = Object.entries(attributes).map(([name, one]) => [`ce-${name}`, one]);
    expect({ ...Object.fromEntries(asHeaders), traceparent }).to.deep.equal(headers);
  });

  it('is a CloudEvent to the SDK', () => {
    const event = HTTP.toEvent({
      headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
      body: structuredEvent({ headers, value: '{"amount":"10.50"}' }),
    }) as CloudEvent<Record<string, unknown>>;
    expect(event.validate()).to.equal(true);
    expect(event).to.deep.include({ id: headers['ce-id'], data: { amount: '10.50' } });
    expect(event['tenantid']).to.equal('acme');
  });

  it('leaves out headers that are not attributes', () => {
    const text = structuredEvent({ headers: { ...headers, 'x-other': '1' }, value: '{}' });
    expect(text).to.not.include('x-other');
  });
});
