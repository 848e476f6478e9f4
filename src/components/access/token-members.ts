import { membersOf, type Glossary } from '#src/kernel/descriptions.ts';

const CLIENT_ID =
  'The client id of an application. Required for `client_credentials`, and to log in a user where there are tenants.';
const CLIENT_SECRET = 'The secret of the application; required with the client id.';
const GRANT = '`password` logs in a user, `client_credentials` an application.';
const REFRESHED = 'The refresh token of the last response. It is used once: keep the new one.';
const HINT =
  'The id token of the session that ends, even an expired one. Without it, the bearer token names the session.';

/** Describes the members of tokens, of questions about them, and of the documents that verify them. */
export const tokenMembers: Glossary = {
  grantType: GRANT,
  grant_type: GRANT,
  clientId: CLIENT_ID,
  client_id: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  client_secret: CLIENT_SECRET,
  username: 'The name of a user, in any letter case; required for `password`.',
  password: 'The password of the user; required for `password`.',
  refresh_token: REFRESHED,
  'RefreshTokenRequest.refreshToken': REFRESHED,
  idTokenHint: HINT,
  id_token_hint: HINT,

  tokenType: 'Always `Bearer`.',
  'Token.refreshToken':
    'Renews the tokens once; valid for 24 hours unless the operator changed it.',
  scope: 'What the tokens are for, in words separated by spaces; empty for an application.',

  resource: 'A resource of permissions, such as `transactions`.',
  action: 'The method in lower case, as permissions have it.',
  authorized: 'Whether it is permitted. A refusal is a success with false.',
  'Decision.timestamp': 'The time of the decision, in UTC.',

  ...membersOf(['Userinfo'], {
    sub: 'The id of the user, as in tokens.',
    name: 'The first and the last name.',
    preferredUsername: 'The name to log in with.',
    email: 'The email address of the user.',
    emailVerified: 'Always false: addresses are not verified.',
    picture: 'Always empty.',
    profile: 'Always empty.',
  }),

  keys: 'The public keys that verify tokens, those of the recent past and the near future included.',
  issuer: 'The `iss` of tokens.',
  jwks_uri: 'Where the public keys are that verify tokens.',
  token_endpoint: 'Where clients log in.',
  userinfo_endpoint: 'Where facts about the user of a token are.',
  end_session_endpoint: 'Where clients log out.',
  grant_types_supported: 'The values of `grantType`.',
  response_types_supported: 'Empty: there is no authorization endpoint.',
  subject_types_supported: 'Only `public`: a user has the same `sub` for all clients.',
  id_token_signing_alg_values_supported: 'The algorithms that sign tokens.',
  token_endpoint_auth_methods_supported: 'The ways to send the client: HTTP Basic, or in the body.',
  scopes_supported: 'The words of `scope`.',
  claims_supported: 'The claims that tokens may have.',
};
