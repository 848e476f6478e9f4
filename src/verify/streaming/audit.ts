import { differ } from '#src/verify/difference.ts';
import { LiveRecords } from '#src/verify/record.ts';
import type { AuditRules } from '#src/verify/rules.ts';

/**
 * The rules of a tenant's streaming journal, which moves no money: each subscription is created and deleted once, and
 * each replay is requested once.
 */
function createStreamingRules(): AuditRules {
  const rules: Readonly<Record<string, (data: object) => void>> = {
    ...new LiveRecords('Subscription').rules(() => undefined),
    ...new LiveRecords('Replay').rules(() => undefined),
    RecordDied: () => undefined,
  };
  return {
    open: (_, name = 'streaming') =>
      /^streaming(-|$)/.test(name) ? name : differ('it begins the streaming journal of a tenant'),
    apply(type, data) {
      const rule = Object.hasOwn(rules, type) ? rules[type] : undefined;
      rule?.(data);
      return rule !== undefined;
    },
    transactions: () => 0,
  };
}

export const audit = {
  SubscriptionCreated: createStreamingRules,
  ReplayCreated: createStreamingRules,
  RecordDied: createStreamingRules,
};
