import { groupDecider } from '#commands/ledger/cross-ledger/group.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { organizationDecider } from '#commands/ledger/organization.ts';
import { settingsDecider } from '#commands/settings/settings.ts';

/** The rules of every kind of journal this program writes. */
export const deciders = [
  organizationDecider,
  ledgerDecider,
  groupDecider,
  settingsDecider,
] as const;
