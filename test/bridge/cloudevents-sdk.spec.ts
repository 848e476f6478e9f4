import { CloudEvent, HTTP } from 'cloudevents';
import { expect } from 'chai';
import fc from 'fast-check';
import { messageOf } from '#src/adapters/rabbitmq/message.ts';
import { catalog } from '#src/bootstrap/definitions.ts';
import type { Definition } from '#src/bridge/definition.ts';
import { createEnvelope, type EventStamp } from '#src/bridge/envelope.ts';
import { headerFault } from '#src/bridge/header-limits.ts';
import type { Payload } from '#src/bridge/payload.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { PublishedSchema } from '#src/kernel/schema.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import { valuesOf } from '#test/support/from-schema.ts';
import { producer } from '#test/support/relayed.ts';
import { NOW } from '#test/support/stamps.ts';

/** Events of a definition with any payload that its schema allows, for any tenant and about any subject. */
const recordsOf = (definition: Definition) =>
  fc
    .record({
      payload: valuesOf(definition.payload as PublishedSchema),
      subject: fc.oneof(fc.uuid(), fc.constant('ñandú:é')),
      tenantId: fc.constantFrom('default', 'acme'),
      id: fc.uuid(),
    })
    .map(({ payload, subject, tenantId, id }) => ({
      ...{ payload, subject, tenantId },
      record: createEnvelope(definition, producer).draft(
        { id: id as Uuid, type: 'Any', recordedAt: NOW, tenantId, data: {} },
        { subject, recordKey: subject, payload: payload as Payload },
      ),
    }));

/** The SDK's Kafka binding reads `ce_` headers; ours are the contract's `ce-`, which its HTTP binding reads. */
const onKafka = ({ headers, value }: OutgoingRecord): CloudEvent<unknown> => {
  const onWire = Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)] as const);
  return parsed(onWire, Buffer.from(value));
};
const onRabbit = (record: OutgoingRecord): CloudEvent<unknown> => {
  const { options, content } = messageOf(record);
  return parsed(Object.entries(options.headers as Record<string, string>), content);
};
const parsed = (headers: Iterable<readonly [string, unknown]>, body: Buffer) =>
  HTTP.toEvent({
    headers: Object.fromEntries([...headers].map(([name, value]) => [name, String(value)])),
    body: body.toString(),
  }) as CloudEvent<unknown>;

/** Attributes that differ between the events of a definition, unusual and invalid ones included. */
const anyStamp = fc.record({
  ceId: fc.oneof(fc.uuid(), fc.string({ minLength: 1, maxLength: 300 })),
  time: fc.constantFrom(NOW, '2026-02-30T10:00:00.000000Z', '2024-02-29T10:00:00.000000Z', 'soon'),
  tenantId: fc.oneof(fc.constantFrom('default', 'acme', 'a\nb'), fc.string({ minLength: 1 })),
});
const anySubject = fc.oneof(
  fc.uuid(),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc.constantFrom('', 'a\u0000b', 'é'.repeat(513), 'x'.repeat(1025)),
);

/** Returns the headers of an event as the SDK names and orders its attributes, and whether it is valid. */
function bySdk({ key, schemaVersion }: Definition, stamp: EventStamp, subject: string) {
  const { ceId: id, time, tenantId } = stamp;
  const [resourcetype, eventtype] = key.split('.');
  const { source } = producer;
  const event = new CloudEvent(
    {
      ...{ id, source, type: `studio.quipu.${key}`, time, resourcetype, eventtype },
      ...{ schemaversion: schemaVersion, subject, datacontenttype: 'application/json' },
      ...(tenantId !== 'default' && { tenantid: tenantId }),
    },
    false,
  );
  const headers = Object.entries(event).flatMap(([name, value]) =>
    typeof value === 'string' ? [[`ce-${name}`, value] as const] : [],
  );
  return {
    headers,
    isValid: isValid(event) && headerFault(Object.fromEntries(headers)) === undefined,
  };
}

function isValid(event: CloudEvent): boolean {
  try {
    return event.validate();
  } catch {
    return false;
  }
}

describe('the CloudEvents SDK', () => {
  it('is tried with every definition', () => {
    expect(catalog.filter(({ enabled }) => enabled)).to.have.length(61 + 6);
    expect(catalog.filter(({ enabled }) => !enabled)).to.have.length(14);
  });

  for (const definition of catalog) {
    const { key, schemaVersion } = definition;
    it(`writes the headers of ${key} ${schemaVersion}, and refuses what a record says is faulty`, () => {
      const envelope = createEnvelope(definition, producer);
      fc.assert(
        fc.property(anyStamp, anySubject, (anyValues, subject) => {
          const stamp = anyValues as EventStamp;
          const record = envelope.stamped(stamp, { subject, recordKey: '', payload: {} });
          const { headers, isValid } = bySdk(definition, stamp, subject);
          expect(Object.entries(record.headers)).to.deep.equal(headers);
          expect(record.fault === undefined).to.equal(isValid);
        }),
        { numRuns: 50 },
      );
    });

    it(`reads ${key} ${schemaVersion} from a record of Kafka and a message of RabbitMQ`, () => {
      fc.assert(
        fc.property(recordsOf(definition), ({ record, payload, subject, tenantId }) => {
          expect(record).to.not.have.property('fault');
          for (const event of [onKafka(record), onRabbit(record)]) {
            expect(event.validate()).to.equal(true);
            const { id, source, type, data, datacontenttype } = event;
            expect({ id, source, type, datacontenttype }).to.deep.equal({
              id: record.headers['ce-id'],
              source: producer.source,
              type: `studio.quipu.${key}`,
              datacontenttype: 'application/json',
            });
            expect(event['schemaversion']).to.equal(schemaVersion);
            expect(`${String(event['resourcetype'])}.${String(event['eventtype'])}`).to.equal(key);
            expect(event.subject).to.equal(subject);
            expect(event['tenantid']).to.equal(tenantId === 'default' ? undefined : tenantId);
            expect(data).to.deep.equal(JSON.parse(JSON.stringify(payload)));
          }
        }),
        { numRuns: 20 },
      );
    });
  }
});
