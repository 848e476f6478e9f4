import type { Schema } from '#src/kernel/schema.ts';
import { record } from '#src/kernel/schema-fragments.ts';

/* Contract access §3 to §7. Unknown members of these bodies are ignored, as OAuth asks for (RFC 6749 §3.2). */

const text = { type: 'string', maxLength: 255 } as const;
/** Longer than any token that is issued here. */
const tokenText = { type: 'string', maxLength: 16_384 } as const;
const client = { clientId: text, clientSecret: text } as const;

/** An object of these members and any others. */
const openRecord = <
  const Properties extends Readonly<Record<string, Schema>>,
  const Required extends readonly (keyof Properties & string)[],
>(
  properties: Properties,
  required: Required,
) => {
  const shape = { type: 'object', properties, required } as const;
  return {
    ...shape,
    published: { ...shape, additionalProperties: true },
    confidential: true,
  } as const;
};

export const loginBody = openRecord(
  {
    grantType: {
      type: 'string',
      maxLength: 255,
      wrongType: 'GRANT_TYPE_INVALID',
      published: { type: 'string', enum: ['password', 'client_credentials'] },
    },
    ...client,
    username: text,
    password: text,
    nonce: { ...text, description: 'Repeated in the id token' },
  },
  ['grantType'],
);

export const refreshBody = openRecord(
  {
    refreshToken: tokenText,
    scope: { ...text, description: 'Some words of the scope; by default, all of them' },
    ...client,
  },
  ['refreshToken'],
);

const hints = openRecord({ idTokenHint: tokenText, id_token_hint: tokenText }, []);

/** The two names of the hint would be one name in most languages, so the description of JSON bodies has the first. */
export const logoutBody = {
  ...hints,
  published: { ...hints.published, properties: { idTokenHint: tokenText } },
} as const;

export const authorizeBody = openRecord(
  {
    sub: { ...text, description: '`owner/id` of a user, or `admin/product-editor-role`' },
    resource: text,
    action: { type: 'string', enum: ['get', 'post', 'patch', 'put', 'delete', 'head'] },
    product: { ...text, description: 'A namespace; by default, any that has the resource' },
  },
  ['sub', 'resource', 'action'],
);

/** The names that OAuth gives to members when they are sent as a form. */
export const FORM_NAMES: Readonly<Record<string, string>> = {
  grant_type: 'grantType',
  client_id: 'clientId',
  client_secret: 'clientSecret',
  refresh_token: 'refreshToken',
  id_token_hint: 'idTokenHint',
};

/** Describes a body as it is sent as a form. */
export function formSchema({ properties, required = [] }: FormedBody): Schema {
  const names = Object.fromEntries(Object.entries(FORM_NAMES).map(([sent, own]) => [own, sent]));
  const members = Object.entries(properties).map(([name, schema]) => [names[name] ?? name, schema]);
  return {
    type: 'object',
    additionalProperties: { type: 'string' }, // None is repeated.
    properties: Object.fromEntries(members) as Readonly<Record<string, Schema>>,
    required: required.map((name) => names[name] ?? name),
  };
}

type FormedBody = Readonly<{
  properties: Readonly<Record<string, Schema>>;
  required?: readonly string[];
}>;

const shown = { type: 'string' } as const;

/**
 * The response to a form repeats its members under their names in OAuth. `accessToken` and `access_token` would be one
 * name in most languages, so the members are those of JSON, and the others are described in words.
 */
export const tokenSchema = {
  title: 'Token',
  description:
    'The response to a form also has `access_token`, `id_token`, `token_type`, `expires_in` and `refresh_token`, as ' +
    'OAuth names them.',
  ...record(
    {
      accessToken: { ...shown, description: 'A JWT: send it as `Authorization: Bearer …`' },
      idToken: { ...shown, description: 'A JWT about the user; applications get none' },
      tokenType: { const: 'Bearer' },
      expiresIn: { type: 'integer', description: 'The life of the access token, in seconds' },
      refreshToken: shown,
      scope: shown,
    },
    ['accessToken', 'tokenType', 'expiresIn', 'refreshToken', 'scope'],
  ),
  additionalProperties: { type: ['string', 'integer'] },
} as const satisfies Schema;

export const decisionSchema = {
  title: 'Decision',
  ...record(
    { authorized: { type: 'boolean' }, timestamp: { type: 'string', format: 'date-time' } },
    ['authorized', 'timestamp'],
  ),
} as const satisfies Schema;

const USERINFO = ['sub', 'name', 'preferredUsername', 'email', 'picture', 'profile'] as const;
export const userinfoSchema = {
  title: 'Userinfo',
  ...record(
    {
      ...Object.fromEntries(USERINFO.map((name) => [name, shown])),
      emailVerified: { type: 'boolean' },
    },
    [...USERINFO, 'emailVerified'] as never[],
  ),
} satisfies Schema;

export const permissionsSchema = {
  title: 'Permissions',
  description: 'Actions by resource',
  type: 'object',
  additionalProperties: { type: 'array', items: shown },
} as const satisfies Schema;

export const keySetSchema = {
  title: 'KeySet',
  description: 'A JSON Web Key Set (RFC 7517)',
  ...record({ keys: { type: 'array', items: { type: 'object', additionalProperties: shown } } }, [
    'keys',
  ]),
} as const satisfies Schema;

const list = { type: 'array', items: shown } as const;
export const discoverySchema = {
  title: 'Discovery',
  description: 'The metadata of OpenID Connect Discovery 1.0',
  ...record(
    {
      issuer: shown,
      jwks_uri: shown,
      token_endpoint: shown,
      userinfo_endpoint: shown,
      end_session_endpoint: shown,
      grant_types_supported: list,
      response_types_supported: list,
      subject_types_supported: list,
      id_token_signing_alg_values_supported: list,
      token_endpoint_auth_methods_supported: list,
      scopes_supported: list,
      claims_supported: list,
    },
    [
      ...['issuer', 'jwks_uri', 'token_endpoint', 'userinfo_endpoint', 'end_session_endpoint'],
      ...['grant_types_supported', 'response_types_supported', 'subject_types_supported'],
      ...['id_token_signing_alg_values_supported', 'token_endpoint_auth_methods_supported'],
      ...['scopes_supported', 'claims_supported'],
    ] as never[],
  ),
} satisfies Schema;

/** Returns the discovery document of an issuer, of one tenant or of several (contract access §10). */
export const discoveryOf = (issuer: string, hasTenants: boolean): object => ({
  issuer,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  token_endpoint: `${issuer}/v1/login/oauth/access_token`,
  userinfo_endpoint: `${issuer}/v1/userinfo`,
  end_session_endpoint: `${issuer}/v1/logout`,
  grant_types_supported: ['password', 'client_credentials'],
  response_types_supported: [],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  scopes_supported: ['openid', 'profile', 'email'],
  claims_supported: [
    ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'sid', 'azp', 'name', 'displayName'],
    ...['owner', 'type', 'groups', 'email', 'email_verified', 'nonce'],
    ...(hasTenants ? ['tenantId', 'tenantSlug'] : []),
  ],
});
