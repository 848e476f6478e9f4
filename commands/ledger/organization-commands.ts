import type { JournalOf } from '#src/domain/decider.ts';
import type { OrganizationEvent } from '#src/events/organization.ts';
import type { LedgerNameCommand } from './ledger-names.ts';
import type { OrganizationRecordCommand } from './organization-record.ts';
import type { RouteCommand } from './routing/decide.ts';
import type { ClaimMetadata } from './unique/claim.ts';

export type OrganizationCommand =
  OrganizationRecordCommand | LedgerNameCommand | RouteCommand | ClaimMetadata;

export type OrganizationJournal = JournalOf<OrganizationCommand, OrganizationEvent>;
