import type { ledgerRefusals } from '#src/events/ledger/refusals.ts';
import {
  refuseAny,
  type PlatformRefusalName,
  type RefusalFacts,
  type Refuse,
} from '#src/kernel/errors.ts';

/** The refusals of the customer registry (contract registry-and-fees §A9). */
export const registryRefusals = {
  INSTRUMENT_NOT_FOUND: { code: 'CRM-0008', kind: 'absent', title: 'Instrument not found' },
  DOCUMENT_TAKEN: { code: 'CRM-0010', kind: 'clash', title: 'Document already used' },
  ACCOUNT_LINKED: { code: 'CRM-0013', kind: 'clash', title: 'Account already linked' },
  HOLDER_HAS_INSTRUMENTS: { code: 'CRM-0017', kind: 'rule', title: 'Holder has instruments' },
  ORGANIZATION_HEADER_MISSING: {
    code: 'CRM-0018',
    kind: 'validation',
    title: 'Required header missing',
  },
  METADATA_FILTERS: { code: 'CRM-0019', kind: 'validation', title: 'Metadata filter invalid' },
  METADATA_FILTER_KEY: {
    code: 'CRM-0020',
    kind: 'validation',
    title: 'Metadata filter key invalid',
  },
  METADATA_FILTER_OPERATOR: {
    code: 'CRM-0021',
    kind: 'validation',
    title: 'Metadata filter with an operator',
  },
  ORGANIZATION_HEADER_INVALID: {
    code: 'CRM-0022',
    kind: 'validation',
    title: 'Header value invalid',
  },
  CLOSED_BEFORE_CREATED: {
    code: 'CRM-0023',
    kind: 'validation',
    title: 'Closing date before creation',
  },
  RELATED_PARTY_NOT_FOUND: { code: 'CRM-0024', kind: 'absent', title: 'Related party not found' },
  RELATED_PARTY_ROLE: { code: 'CRM-0025', kind: 'validation', title: 'Related party role invalid' },
  RELATED_PARTY_DOCUMENT: {
    code: 'CRM-0026',
    kind: 'validation',
    title: 'Related party without document',
  },
  RELATED_PARTY_NAME: {
    code: 'CRM-0027',
    kind: 'validation',
    title: 'Related party without name',
  },
  RELATED_PARTY_START: {
    code: 'CRM-0028',
    kind: 'validation',
    title: 'Related party without start date',
  },
  RELATED_PARTY_END: {
    code: 'CRM-0029',
    kind: 'validation',
    title: 'Related party ends before it starts',
  },
  HOLDER_OWNS_ACCOUNTS: { code: 'CRM-0030', kind: 'rule', title: 'Holder owns live accounts' },
  ENCRYPTION_FAILED: { code: 'CRM-0037', kind: 'fault', title: 'Encryption failed' },
  PROVISIONING_FAILED: { code: 'CRM-0038', kind: 'fault', title: 'Provisioning failed' },
  AUDIT_DATA_MISSING: { code: 'CRM-0039', kind: 'validation', title: 'Audit data missing' },
  AUDIT_NOT_WRITTEN: { code: 'CRM-0040', kind: 'fault', title: 'Audit record not written' },
  INSTRUMENT_LEDGER_NOT_FOUND: {
    code: 'CRM-0042',
    legacyCode: '0488',
    kind: 'rule',
    title: 'Ledger of the instrument not found',
  },
  INSTRUMENT_ACCOUNT_NOT_FOUND: {
    code: 'CRM-0043',
    legacyCode: '0489',
    kind: 'rule',
    title: 'Account of the instrument not found',
  },
  OWN_HOLDER: { code: 'CRM-0044', kind: 'rule', title: 'Holder of the organization itself' },
  KEY_SERVICE_UNAVAILABLE: {
    code: 'CRM-0045',
    kind: 'unavailable',
    title: 'Key service unavailable',
  },
  CERTIFICATE_NOT_FOUND: {
    code: 'CRM-0046',
    kind: 'absent',
    title: 'Erasure certificate not found',
  },
} as const satisfies Record<string, RefusalFacts>;

type OfLedger = Extract<keyof typeof ledgerRefusals, 'HOLDER_NOT_FOUND'>;

export const refuse: Refuse<keyof typeof registryRefusals | OfLedger | PlatformRefusalName> =
  refuseAny;
