const REFRESH_TOKEN = 'Y2xpZW50.cmVmcmVzaCB0b2tlbiBvZiBhbiBleGFtcGxl';
const LEASE = '019b8d99-6900-7779-883d-dc3c80a9ed36.bGVhc2Ugb2YgZXhhbXA';

/** Members whose texts and numbers are random, measured or of this machine, whatever they contain. */
export const STABLE_MEMBERS: Readonly<Record<string, unknown>> = {
  next_cursor: 'eyJuIjoyfQ',
  prev_cursor: 'eyJwIjoxfQ',
  durationMs: 12,
  // Streaming
  appVersion: '1.0.0',
  libVersion: '1.0.0',
  producerId: 'quipu-1',
  secret: 'whsec_c2VjcmV0IG9mIGFuIGV4YW1wbGUsIDMyIGJ5dGVzIQ==',
  leaseId: LEASE,
  leaseIds: LEASE,
  // Protection
  aead_primary_key_id: '5a0c7e1d93b84f26',
  prf_primary_key_id: 'c41f09ab6e75d832',
  // Tokens
  refreshToken: REFRESH_TOKEN,
  refresh_token: REFRESH_TOKEN,
  kid: 'a2V5IG9mIGFuIGV4YW1wbGU',
  n: 'bW9kdWx1cyBvZiBhbiBleGFtcGxlLCB3aGljaCBpcyBsb25nZXIgaW4gcmVhbGl0eQ',
};
