/** Determines how an event reaches its topic (contract events §9.1). */
export type DeliveryPolicy = Readonly<{
  enabled: boolean;
  /** `direct`: sent when it happens; `skip`: published from the log only. */
  direct: 'direct' | 'skip';
  /** Determines when the event is appended to the log, from which the relay publishes it. */
  outbox: 'never' | 'fallback_on_circuit_open' | 'always';
  /** Determines whether a record that cannot be published goes to the dead-letter topic. */
  dlq: 'never' | 'on_routable_failure';
}>;

/** Overrides, by event key, of what the definitions say. */
export type Policies = ReadonlyMap<string, Partial<DeliveryPolicy>>;

/** The members of a definition that its policy depends on. */
type Delivered = Readonly<{
  key: string;
  enabled: boolean;
  policy?: Omit<DeliveryPolicy, 'enabled'>;
}>;

/** The policy of facts that an auditor asks for, and of commands: published from the log only. */
export const FROM_LOG = { direct: 'skip', outbox: 'always', dlq: 'on_routable_failure' } as const;

/** The policy of an operational signal: sent at once, and kept in the log while the broker is unavailable. */
export const OPERATIONAL_SIGNAL = {
  direct: 'direct',
  outbox: 'fallback_on_circuit_open',
  dlq: 'on_routable_failure',
} as const;

/** Returns the policy of a definition. */
export const policyOf = (
  { key, enabled, policy }: Delivered,
  overrides: Policies = new Map(),
): DeliveryPolicy => ({ enabled, ...FROM_LOG, ...policy, ...overrides.get(key) });

/** Returns why a policy loses events; undefined if it does not. */
export const policyFault = ({ direct, outbox }: DeliveryPolicy): string | undefined =>
  direct === 'skip' && outbox !== 'always' ? 'direct=skip needs outbox=always' : undefined;

/**
 * Reads `key.attribute=value` entries, separated by commas, semicolons or line breaks. A definition without a policy of
 * its own is published from the log, which no entry changes.
 */
export function readPolicies(
  list: string,
  definitions: readonly Delivered[],
  onMistake: (entry: string, why: string) => void,
): Policies {
  const entries = list
    .split(/[,;\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean);
  if (entries.length > POLICIES_MAX) {
    onMistake('the list', `has more than ${POLICIES_MAX} entries`);
  }
  const policies = new Map<string, Partial<DeliveryPolicy>>();
  for (const entry of entries.slice(0, POLICIES_MAX)) {
    const [, key = '', attribute = '', value = ''] = /^(.+)\.([^.=]+)=(.*)$/.exec(entry) ?? [];
    const definition = definitions.find((one) => one.key === key);
    const fault =
      Buffer.byteLength(key) > KEY_BYTES_MAX
        ? `has a key of more than ${KEY_BYTES_MAX} bytes`
        : definition === undefined
          ? 'names no event that is published'
          : valueFault(definition, attribute, value);
    if (fault === undefined) {
      const parsed = attribute === 'enabled' ? value === 'true' : value;
      policies.set(key, { ...policies.get(key), [attribute]: parsed });
    } else {
      onMistake(entry, fault);
    }
  }
  for (const definition of definitions.filter(({ key }) => policies.has(key))) {
    const fault = policyFault(policyOf(definition, policies));
    if (fault !== undefined) onMistake(definition.key, fault);
  }
  return policies;
}

function valueFault({ policy }: Delivered, attribute: string, value: string): string | undefined {
  const values = VALUES[attribute as keyof DeliveryPolicy] as readonly string[] | undefined;
  if (values === undefined) return 'names no attribute: enabled, direct, outbox, dlq';
  if (!values.includes(value)) return `must be ${values.join(' or ')}`;
  if (attribute === 'enabled' || policy !== undefined) return undefined;
  const fixed = FROM_LOG[attribute as keyof typeof FROM_LOG];
  return value === fixed ? undefined : `must be ${fixed}: the event is published from the log`;
}

const POLICIES_MAX = 1024;
const KEY_BYTES_MAX = 256;
const VALUES: Readonly<Record<keyof DeliveryPolicy, readonly string[]>> = {
  enabled: ['true', 'false'],
  direct: ['direct', 'skip'],
  outbox: ['never', 'fallback_on_circuit_open', 'always'],
  dlq: ['never', 'on_routable_failure'],
};
