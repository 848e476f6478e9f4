import { expect } from 'chai';
import { receivedRecord } from '#src/bridge/received-record.ts';

const HEADERS = {
  ...{ 'ce-specversion': '1.0', 'ce-id': 'event-1', 'ce-source': 'Loan Core/BR' },
  ...{ 'ce-type': 'studio.other.limit.activated', 'ce-time': '2026-01-05T12:00:00.123456Z' },
  ...{ 'ce-resourcetype': 'limit', 'ce-eventtype': 'activated', 'ce-schemaversion': '1.0.0' },
};
const received = (
  headers: Record<string, string> = {},
  { key = 'key', value = '{"amount": 10.50}' } = {},
) => receivedRecord({ topic: 'other', key, headers: { ...HEADERS, ...headers }, value });

describe('a record of another producer', () => {
  it('is delivered as it is, with its attributes and trace context alone', () => {
    const kept = {
      ...{ 'ce-tenantid': 'acme', 'ce-subject': 'é', 'ce-validate': 'yes' },
      ...{ 'ce-datacontenttype': 'application/vnd.x+json; charset=utf-8', traceparent: '00-1' },
    };
    const dropped = {
      ...{ host: 'evil.example', 'transfer-encoding': 'chunked', 'content-type': 'text/html' },
      ...{ 'ce-data': '{}', 'ce-Upper': '1', 'ce-under_score': '1', 'webhook-id': 'x' },
    };
    expect(received({ ...kept, ...dropped })).to.deep.equal({
      ...{ key: 'key', value: '{"amount": 10.50}' },
      headers: { ...HEADERS, ...kept },
    });
  });

  it('may have every attribute at its limit', () => {
    const long = {
      ...{ 'ce-id': 'x'.repeat(256), 'ce-source': 'x'.repeat(2048) },
      ...{ 'ce-subject': 'x'.repeat(1024), 'ce-tenantid': 'x'.repeat(256) },
    };
    const value = JSON.stringify({ text: 'x'.repeat(1_048_576 - 11) });
    expect(received(long, { value })).not.to.have.property('fault');
  });

  for (const [title, headers, more] of [
    ['a control character', { 'ce-subject': 'a\r\nhost: evil' }, {}],
    ['an id that is too long', { 'ce-id': 'x'.repeat(257) }, {}],
    ['a time that is none', { 'ce-time': '2026-13-01T00:00:00Z' }, {}],
    ['a time without a zone', { 'ce-time': '2026-01-05T12:00:00' }, {}],
    ['a payload that is not JSON', { 'ce-datacontenttype': 'text/html' }, {}],
    ['an empty subject', { 'ce-subject': '' }, {}],
    ['a schema that is no URI', { 'ce-dataschema': 'not a uri' }, {}],
    ['too many headers', { 'ce-extra': 'x'.repeat(16_384) }, {}],
    ['a key that is too long', {}, { key: 'é'.repeat(1025) }],
    ['a payload that is too large', {}, { value: `"${'é'.repeat(524_288)}"` }],
  ] as const) {
    it(`is not delivered with ${title}`, () => {
      expect(received({ ...headers }, more)).to.have.property('fault');
    });
  }
});
