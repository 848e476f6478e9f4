import { components } from '#src/components/index.ts';
import type { RulesByOpening } from '#src/verify/rules.ts';

const loaded = await Promise.all(components.flatMap((one) => one.audit?.() ?? []));

/** The auditor's rules for every kind of journal. */
export const audit: RulesByOpening = Object.fromEntries(
  loaded.flatMap(({ audit }) => Object.entries(audit)),
);
