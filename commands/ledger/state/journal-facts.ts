import type { Facts } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { RouteRules } from '#src/events/ledger/route-rules.ts';
import type { SettingsFact, UniqueKeys } from '#src/kernel/unique-values.ts';

/** The facts that an organization's journal shares with other journals. They may keep `routes`, which is immutable. */
export type OrganizationFact = Readonly<{ live: boolean; routes?: RouteRules }>;

/** The facts that a ledger's journal shares with other journals. */
export type LedgerFact = OrganizationFact &
  Readonly<{
    organizationId: Uuid;
    hasSegment: (id: Uuid) => boolean;
    hasAccount: (id: Uuid) => boolean;
    /** Returns the account with this alias, as far as other journals decide upon it. */
    accountNamed: (alias: string) => Readonly<{ segmentId: Uuid | undefined }> | undefined;
  }>;

type SharedFact = Readonly<{ live: boolean }> | null | undefined;

/** The accounting routes of an organization or a ledger; undefined when it has none. */
export const routesIn = (fact: SharedFact): RouteRules | undefined =>
  (fact as OrganizationFact | null | undefined)?.routes;

/** Returns true for a live ledger of that organization. */
export const isLiveIn = (fact: SharedFact, organizationId: Uuid): boolean =>
  fact?.live === true && (fact as LedgerFact).organizationId === organizationId;

/** Returns the facts of a live ledger of that organization. */
export const liveLedgerIn = (fact: SharedFact, organizationId: Uuid): LedgerFact | undefined =>
  isLiveIn(fact, organizationId) ? (fact as LedgerFact & typeof fact) : undefined;

/** The keys of metadata that are unique for the tenant; undefined when the settings are not known or have none. */
export const uniqueKeysIn = (facts: Facts): UniqueKeys | undefined =>
  (facts.settings() as SettingsFact | null | undefined)?.unique;
