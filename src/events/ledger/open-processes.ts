import type { Uuid } from '#src/kernel/ids.ts';
import type { OpenProcessOf } from '#src/kernel/index-table.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import type { GroupEvent, GroupRecord } from './group.ts';
import type { LedgerEvent } from './ledger.ts';
import type { OrganizationEvent } from './organization.ts';

/** The creation of a ledger: its organization reserves the name, and settles it when the ledger's journal is open. */
export const ledgerOpening = {
  begins: { LedgerNameReserved: ({ ledger }) => ledger.id },
  ends: { LedgerNameSettled: ({ ledgerId }) => ({ key: ledgerId }) },
} satisfies OpenProcessOf<OrganizationEvent>;

/** A change of a ledger's name, or of metadata that must be unique, which its organization reserves first. */
export const ledgerChange = {
  begins: {
    LedgerRenameReserved: ({ ledgerId }) => changeOf(ledgerId),
    LedgerMetadataReserved: ({ ledgerId }) => changeOf(ledgerId),
  },
  ends: {
    LedgerMetadataSettled: ({ ledger }) => ({ key: changeOf(ledger.id) }),
    LedgerNameFreed: ({ ledgerId }) => ({ key: changeOf(ledgerId) }),
  },
} satisfies OpenProcessOf<OrganizationEvent>;

/** The deletion of a ledger: it begins in the ledger's journal and ends when the organization frees its names. */
export const ledgerClosing = {
  begins: { LedgerClosed: ({ ledger }) => ledger.id },
  ends: {
    LedgerNameFreed: ({ ledgerId, closed }) =>
      closed && { key: ledgerId, journal: ledgerJournal(ledgerId) },
  },
} satisfies OpenProcessOf<LedgerEvent | OrganizationEvent>;

/** A cross-ledger transaction, from each time it is opened until the decision is carried out in every ledger. */
export const crossLedger = {
  begins: {
    GroupOpened: ({ group }) => (isSettled(group) ? undefined : group.id),
    GroupCommitOpened: ({ group }) => (isSettled(group) ? undefined : group.id),
    GroupDecided: ({ group }) => (isSettled(group) ? undefined : group.id),
  },
  ends: {
    GroupDecided: ({ group }) => (isSettled(group) ? { key: group.id } : undefined),
    GroupFinished: ({ group }) => (isSettled(group) ? { key: group.id } : undefined),
  },
} satisfies OpenProcessOf<GroupEvent>;

/** The key cannot be the ledger's id alone, because a ledger may be changed before its creation is settled. */
const changeOf = (ledgerId: Uuid): string => `rename ${ledgerId}`;

const isSettled = ({ status }: GroupRecord): boolean =>
  status === 'HELD' || status === 'POSTED' || status === 'CANCELED';
