import type { Descriptions } from '#src/kernel/descriptions.ts';
import { tokenMembers } from './token-members.ts';

const PERSON_NAME = '3 to 255 characters, stored encrypted.';

/** The sentences of access management for readers of the API. */
export const descriptions: Descriptions = {
  tags: {
    Tokens: 'Log in, refresh and log out, and ask what a token permits.',
    Users: 'People who log in. Their groups say what they may do.',
    Groups: 'Sets of permissions. They come with the platform and never change.',
    Applications: 'Programs that log in by client id and secret.',
  },
  members: {
    ...tokenMembers,
    'CreateUserRequest.email':
      'At most 255 characters, unique in any letter case; stored encrypted.',
    'UpdateUserRequest.email':
      'At most 255 characters, unique in any letter case; stored encrypted.',
    'User.email': 'Unique in any letter case.',
    firstName: PERSON_NAME,
    lastName: PERSON_NAME,
    'CreateUserRequest.username':
      'The name to log in with: 3 to 255 characters, unique in any letter case. It never changes.',
    'User.username': 'The name to log in with, unique in any letter case. It never changes.',
    'User.groups': 'The ids of the groups of the user.',
    oldPassword: 'The password that is replaced.',
    'Group.name': 'Equals the id.',
    'Application.name': 'The product that the application is for.',
    'CreateApplicationRequest.description': 'A note for people, at most 1024 characters.',
    'Application.description': 'A note for people; empty if there is none.',
    'Application.clientId': 'The id to log in with, which the server generated.',
  },
  parameters: {
    user_id: 'The id of the user, a UUID.',
    group: 'The id of the group, such as `admin-group`.',
    application_id: 'The id of the application, a UUID.',
  },
};
