import { FROM_LOG } from '#src/bridge/delivery-policy.ts';
import { emitted } from '#src/bridge/emitted.ts';
import type { ProducerDeclaration } from '#src/bridge/producer.ts';

/** Producers beside the ledger, whose events reach Quipu through the library (contract events §8). */
export const otherProducers: readonly ProducerDeclaration[] = [
  {
    name: 'lending',
    transport: 'kafka',
    topicStyle: 'source-derived',
    manifestPath: '/api/v1/streaming/manifest',
    definitions: [
      emitted('contract.signed', 'A contract was signed', { policy: FROM_LOG }),
      emitted('contract.signed', 'A contract was signed', {
        ...{ schemaVersion: '2.0.0', policy: FROM_LOG },
      }),
      emitted('payment.requested', 'Asks the payments product for a payment', {
        policy: FROM_LOG,
      }),
    ],
  },
  {
    name: 'matching',
    transport: 'kafka',
    topicStyle: 'source-derived',
    manifestPath: '/system/matching/streaming/manifest',
    definitions: [emitted('match.completed', 'A match was completed')],
  },
  {
    name: 'reporting',
    transport: 'rabbitmq',
    topicStyle: 'routing-key',
    manifestPath: '/v1/streaming/events',
    definitions: [emitted('report.finished', 'A report was finished')],
  },
  {
    name: 'data-fetching',
    transport: 'rabbitmq',
    topicStyle: 'routing-key',
    manifestPath: '/system/data-fetching/streaming/manifest',
    definitions: [emitted('extraction.finished', 'An extraction was finished')],
  },
];
