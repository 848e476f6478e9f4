import {
  refuseAny,
  type PlatformRefusalName,
  type RefusalFacts,
  type Refuse,
} from '#src/kernel/errors.ts';

/** The refusals about tokens, users, groups and applications (contract access §13). */
export const accessRefusals = {
  NOT_A_USER: { code: 'AUT-0009', kind: 'validation', title: 'Token is not of a user' },
  GRANT_TYPE_INVALID: { code: 'AUT-0013', kind: 'validation', title: 'Grant type invalid' },
  GRANT_INCOMPLETE: { code: 'AUT-0014', kind: 'validation', title: 'Members of the grant missing' },
  GRANT_NOT_SUPPORTED: { code: 'AUT-1001', kind: 'validation', title: 'Grant not supported' },
  LOGIN_WRONG: { code: 'AUT-1002', kind: 'unauthenticated', title: 'User or password wrong' },
  CLIENT_WRONG: { code: 'AUT-1004', kind: 'unauthenticated', title: 'Client wrong' },
  REFRESH_TOKEN_WRONG: { code: 'AUT-1005', kind: 'credential', title: 'Refresh token not valid' },
  SUBJECT_UNKNOWN: { code: 'AUT-1015', kind: 'fault', title: 'Subject unknown' },
  OLD_PASSWORD_WRONG: { code: 'IDE-0009', kind: 'unauthenticated', title: 'Old password wrong' },
  IMMUTABLE_FIELD: { code: 'IDE-0011', kind: 'validation', title: 'Field is immutable' },
  APPLICATION_NAME_UNKNOWN: {
    code: 'IDE-0012',
    kind: 'validation',
    title: 'Application name unknown',
  },
  NOT_OWN_USER: { code: 'IDE-0013', kind: 'forbidden', title: 'Not the user of the token' },
  PASSWORD_TOO_SHORT: { code: 'IDE-0020', kind: 'validation', title: 'Password too short' },
  PASSWORD_TOO_WEAK: { code: 'IDE-0021', kind: 'validation', title: 'Password too weak' },
  APPLICATION_NOT_FOUND: { code: 'IDE-1001', kind: 'absent', title: 'Application not found' },
  USER_NOT_FOUND: { code: 'IDE-1003', kind: 'absent', title: 'User not found' },
  GROUP_NOT_FOUND: { code: 'IDE-1006', kind: 'absent', title: 'Group not found' },
  IDENTITY_TAKEN: { code: 'IDE-1007', kind: 'clash', title: 'Name or email taken' },
  LAST_ADMINISTRATOR: { code: 'IDE-1008', kind: 'clash', title: 'Last administrator' },
} as const satisfies Record<string, RefusalFacts>;

export const refuse: Refuse<keyof typeof accessRefusals | PlatformRefusalName> = refuseAny;
