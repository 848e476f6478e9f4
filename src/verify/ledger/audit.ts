import { createGroupRules } from './group.ts';
import { createLedgerRules } from './rules.ts';
import { createOrganizationRules } from './organization.ts';

export const audit = {
  OrganizationCreated: createOrganizationRules,
  LedgerOpened: createLedgerRules,
  GroupOpened: createGroupRules,
};
