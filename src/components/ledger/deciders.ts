import { groupDecider } from '#commands/ledger/cross-ledger/group.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { organizationDecider } from '#commands/ledger/organization.ts';

export const deciders = [organizationDecider, ledgerDecider, groupDecider];
