import type { JournalOf } from '#src/kernel/decider.ts';
import type { OrganizationEvent } from '#src/events/ledger/organization.ts';
import type { LedgerNameCommand } from '#commands/ledger/state/ledger-names.ts';
import type { OrganizationRecordCommand } from '#commands/ledger/records/organization-record.ts';
import type { RouteCommand } from './routing/decide.ts';
import type { ClaimMetadata } from './unique/claim.ts';

export type OrganizationCommand =
  OrganizationRecordCommand | LedgerNameCommand | RouteCommand | ClaimMetadata;

export type OrganizationJournal = JournalOf<OrganizationCommand, OrganizationEvent>;
