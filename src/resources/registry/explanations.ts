import type { registryRefusals } from '#src/events/registry/refusals.ts';
import type { Explanations } from '#src/kernel/explanation.ts';

export const registryExplanations: Explanations<keyof typeof registryRefusals> = {
  INSTRUMENT_NOT_FOUND:
    'The holder has no instrument (alias account) with this id, or it was deleted. A request with an idempotency key gets ' +
    'it too if the instrument that it created was erased.',
  DOCUMENT_TAKEN:
    'A live holder of the organization has this document. Find it with the filter `document`, or delete it first.',
  ACCOUNT_LINKED:
    'The account has a live instrument, and an account has one at most. Find it with the filter `account_id`.',
  HOLDER_HAS_INSTRUMENTS:
    'The holder has live instruments (alias accounts). Delete them before the holder, with or without `hard_delete`.',
  ORGANIZATION_HEADER_MISSING:
    'The request does not name its organization in the header X-Organization-Id.',
  METADATA_FILTERS: 'The list is filtered by one metadata key at most. Leave the others out.',
  METADATA_FILTER_KEY:
    'The key of a metadata filter has 1 to 100 characters, and neither a dot nor a dollar sign at its start.',
  METADATA_FILTER_OPERATOR:
    'A metadata filter compares a value. Operators such as $gt are not understood.',
  ORGANIZATION_HEADER_INVALID: 'The header X-Organization-Id is not a UUID.',
  CLOSED_BEFORE_CREATED:
    'The closing date in the banking details is before the day on which the record was created.',
  RELATED_PARTY_NOT_FOUND: 'The instrument has no related party with this id.',
  RELATED_PARTY_ROLE:
    'A related party has a role: PRIMARY_HOLDER, LEGAL_REPRESENTATIVE or RESPONSIBLE_PARTY.',
  RELATED_PARTY_DOCUMENT: 'A related party needs a document.',
  RELATED_PARTY_NAME: 'A related party needs a name.',
  RELATED_PARTY_START: 'A related party needs a start date.',
  RELATED_PARTY_END: 'The end date of a related party is before its start date.',
  INSTRUMENT_LEDGER_NOT_FOUND:
    'The organization has no live ledger with this id, so it has no account for the instrument.',
  INSTRUMENT_ACCOUNT_NOT_FOUND: 'The ledger has no live account with this id.',
  HOLDER_OWNS_ACCOUNTS:
    'The holder owns accounts that are not deleted, in one or more ledgers of the organization. List them with ' +
    '`GET …/holders/{holder_id}/accounts`, and delete them first.',
  ENCRYPTION_FAILED: {
    means:
      'Personal data could not be encrypted or decrypted, because a key or a stored value was altered. An operator must ' +
      'restore it.',
    detail: 'Personal data could not be encrypted or decrypted.',
  },
  PROVISIONING_FAILED: {
    means:
      'The keys that protect the personal data of the organization could not be prepared, because a stored key was altered ' +
      'or replaced. The attempt is in the protection audit. An operator must restore the key.',
    detail: 'The keys of the organization could not be prepared.',
  },
  AUDIT_DATA_MISSING:
    'The protection of personal data is set up in the name of somebody and for a reason. Send `actor` and `reason`.',
  AUDIT_NOT_WRITTEN: {
    means:
      'The attempt to set up the protection of personal data could not be recorded in the log, so it counts as failed. ' +
      'Repeat it: an attempt that has succeeded in part is completed.',
    detail: 'The attempt could not be recorded, so it has failed.',
  },
  OWN_HOLDER:
    'This holder is the organization itself, which only mirrors it. Change or delete the organization instead.',
  KEY_SERVICE_UNAVAILABLE: {
    means:
      'The key service that protects personal data is not available, so nothing was stored or read. `upstream` has its ' +
      'error, if it responded. Try again shortly.',
    detail: 'The service that keeps the keys of personal data is not available.',
  },
  CERTIFICATE_NOT_FOUND:
    'The organization has no erasure certificate with this id. It is in the header X-Erasure-Certificate of an erasure.',
};
