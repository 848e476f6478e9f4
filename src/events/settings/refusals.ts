import {
  refuseAny,
  type PlatformRefusalName,
  type RefusalFacts,
  type Refuse,
} from '#src/kernel/errors.ts';

/** The refusals of a tenant's settings. The wire contract, §10, defines numbers and titles. */
export const settingsRefusals = {
  INDEX_NOT_FOUND: { code: 'LDG-0133', kind: 'absent', title: 'Index not found' },
  TOO_MANY_INDEXES: { code: 'LDG-0135', kind: 'rule', title: 'Too many indexes' },
  INDEX_NOT_BUILT: { code: 'LDG-0136', kind: 'fault', title: 'Index not built' },
  INDEX_PROTECTED: { code: 'LDG-0137', kind: 'rule', title: 'Index protected' },
  ENTITY_UNKNOWN: { code: 'LDG-0138', kind: 'validation', title: 'Entity name unknown' },
} as const satisfies Record<string, RefusalFacts>;

export const refuse: Refuse<keyof typeof settingsRefusals | PlatformRefusalName> = refuseAny;
