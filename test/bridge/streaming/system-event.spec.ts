import { HTTP, type CloudEvent } from 'cloudevents';
import { expect } from 'chai';
import { pingDraft, systemTopicsOf } from '#src/bridge/streaming/system-event.ts';
import { structuredEvent } from '#src/kernel/structured-event.ts';
import { SUBSCRIPTION } from '#test/support/deliveries.ts';
import { producer } from '#test/support/relayed.ts';
import { NOW, nthId } from '#test/support/stamps.ts';

const facts = { ceId: nthId(1), occurredAt: NOW, subscriptionId: SUBSCRIPTION };

describe('the record of a ping', () => {
  it('is a CloudEvent to the SDK', () => {
    const { fault, ...record } = pingDraft(facts, producer);
    expect(fault).to.equal(undefined);
    const headers = { 'content-type': 'application/cloudevents+json' };
    const event = HTTP.toEvent({ headers, body: structuredEvent(record) }) as CloudEvent;
    expect(event.validate()).to.equal(true);
    expect(event.toJSON()).to.include({
      id: facts.ceId,
      type: 'studio.quipu.streaming.ping',
      source: 'quipu.ledger',
      resourcetype: 'streaming',
      eventtype: 'ping',
      systemevent: 'true',
    });
    expect(event.data).to.deep.equal({ subscriptionId: SUBSCRIPTION, occurredAt: NOW });
  });

  it('has the key of a system event, whatever the keys of others are', () => {
    for (const partitionKey of ['aggregate', 'tenant'] as const) {
      expect(pingDraft(facts, { ...producer, partitionKey }).key).to.equal('system:ping');
    }
  });
});

describe('the event that a subscription was disabled', () => {
  const [topic] = systemTopicsOf(producer);
  const update = (status: string, changed: readonly string[], tenantId = 'default') =>
    topic!.drafts({
      ...{ id: nthId(1), type: 'SubscriptionUpdated', recordedAt: NOW, tenantId },
      data: { subscription: { id: SUBSCRIPTION, name: 'Books', status }, changed },
    });

  it('is a system event in its own topic', () => {
    expect(topic).to.deep.include({
      name: 'quipu.streaming.streaming.subscription_disabled',
      types: new Set(['SubscriptionUpdated']),
    });
    const [{ fault, key, headers, value } = {} as never, ...others] = update(
      'disabled',
      ['status'],
      'acme',
    );
    expect([fault, key, others]).to.deep.equal([undefined, 'system:subscription-disabled', []]);
    expect(headers).to.include({
      'ce-type': 'studio.quipu.streaming.subscription-disabled',
      'ce-subject': SUBSCRIPTION,
      'ce-systemevent': 'true',
      'ce-time': NOW,
    });
    expect(headers).not.to.have.property('ce-tenantid');
    expect(JSON.parse(value)).to.deep.equal({
      ...{ subscriptionId: SUBSCRIPTION, name: 'Books', occurredAt: NOW },
    });
  });

  it('does not come of any other change', () => {
    expect(update('paused', ['status'])).to.deep.equal([]);
    expect(update('active', ['status'])).to.deep.equal([]);
    expect(update('disabled', ['secret'])).to.deep.equal([]);
  });
});
