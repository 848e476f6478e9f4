import type { accessRefusals } from '#src/events/access/refusals.ts';
import type { Explanations } from '#src/kernel/explanation.ts';

export const accessExplanations: Explanations<keyof typeof accessRefusals> = {
  NOT_A_USER: 'The token is that of an application, and only users have a profile.',
  GRANT_TYPE_INVALID: 'The member `grantType` is not a text.',
  GRANT_INCOMPLETE: {
    means:
      'The grant needs more members: `username` and `password`, or `clientId` and `clientSecret`. A client may be sent by ' +
      'HTTP Basic instead.',
    beyondSchema: 'Each grant needs members of its own',
  },
  GRANT_NOT_SUPPORTED: {
    means: 'The member `grantType` is neither `password` nor `client_credentials`.',
    beyondSchema: '`grantType` must be one of the grants that are supported',
  },
  LOGIN_WRONG:
    'There is no such user, the password is wrong, or the user is locked at this address: five failed logins lock it for 15 ' +
    'minutes. Which of them is not said.',
  CLIENT_WRONG: 'There is no such client, or its secret is wrong.',
  REFRESH_TOKEN_WRONG:
    'The refresh token is unknown, has expired or was used before, or its user or application is gone. Log in again. A ' +
    'token that is used again later than ten seconds, or from another address, ends its session.',
  SUBJECT_UNKNOWN: {
    means:
      'The token is that of a user or an application that this access management does not have, so it cannot decide.',
    detail: 'The subject of the token is not in the directory.',
  },
  OLD_PASSWORD_WRONG:
    'The old password is not that of the user, or the token is malformed, expired, or of another issuer.',
  IMMUTABLE_FIELD: {
    means:
      'The id and the username of a user never change, and passwords have operations of their own.',
    beyondSchema: 'The members `id`, `username` and `password` are refused with their own code',
  },
  APPLICATION_NAME_UNKNOWN: {
    means: 'An application is named after the product that it is for. The detail lists the names.',
    beyondSchema: '`name` must be that of a product',
  },
  NOT_OWN_USER:
    'A password is changed with its old one by the user alone. An administrator resets it instead.',
  PASSWORD_TOO_SHORT: 'A password has at least 12 characters.',
  PASSWORD_TOO_WEAK: {
    means:
      'A password has an upper-case letter, a lower-case letter, a digit and a special character, at most 255 characters, ' +
      'and no three equal ones in a row. It contains neither the username nor the name in the email address, and a new ' +
      'one is not the old one.',
    beyondSchema:
      'A password must not have three equal characters in a row, contain the username or the name in the email address, ' +
      'or be the old one',
  },
  APPLICATION_NOT_FOUND: 'There is no application with this id.',
  USER_NOT_FOUND: 'There is no user with this id.',
  GROUP_NOT_FOUND: {
    means:
      'There is no group with this id. Groups come with the platform; list them to see their ids.',
    beyondSchema: '`groups` must be ids of groups',
  },
  IDENTITY_TAKEN:
    'Another user has the username or the email, or there is an application of the name.',
  LAST_ADMINISTRATOR:
    'The user is the last member of `admin-group`, without whom nobody could manage access. Add another one first.',
};
