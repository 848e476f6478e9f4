import type { Glossary } from '#src/kernel/descriptions.ts';

const AUDITED = 'at most 256 characters, kept in the audit records.';

/** Describes the members of what protects personal data and proves its erasure. */
export const protectionMembers: Glossary = {
  'ErasureCertificate.entityType': 'The kind of record that was erased.',
  'ErasureCertificate.entityId': 'The id of the record that was erased.',
  destroyedAt: 'When the data key was destroyed, in UTC; nobody can read the record since then.',
  positions: 'Where the events of the record are in the log. They stay, but cannot be decrypted.',
  first: 'The position of the first event of the record.',
  last: 'The position of the event that erased the record.',

  organization_id: 'The organization whose personal data is encrypted.',
  'ProvisionEncryption.actor': `Who sets it up: ${AUDITED}`,
  'ProvisionEncryption.reason': `Why it is set up: ${AUDITED}`,
  kek_path:
    'The path of the key-encryption key in the key service, or `environment` where the settings have the key.',
  aead_primary_key_id: 'The id of the key that wraps the data keys of new records.',
  prf_primary_key_id: 'The id of the key of the tokens by which encrypted members are found.',
  'Encryption.status': 'Always `active`.',
  'EncryptionStatus.status': '`active`; absent until the encryption is set up.',
  provisioned: 'Whether the encryption is set up.',

  action: 'What was attempted, such as `provision`.',
  actor:
    'Who attempted it, as the request said; `system:auto-provision` if the first protected record did.',
  outcome: 'Whether it was set up, failed, or had been set up before.',
  reason: 'Why it was attempted, as the request said.',
  from_status: 'The status before the attempt; empty if the encryption was not set up.',
  to_status: 'The status after the attempt; empty if the encryption was not set up.',
  timestamp: 'The time of the attempt, in UTC.',
  request_id: 'The `X-Request-Id` of the request.',
};
