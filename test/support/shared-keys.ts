/** The keys of personal data, which processes with servers for both stores must be given. */
export const SHARED_KEYS = {
  CRM_ENCRYPT_SECRET_KEY: '11'.repeat(32),
  CRM_HASH_SECRET_KEY: '22'.repeat(32),
};
