import type { Descriptions } from './descriptions.ts';

/** Members and parameters that mean the same in every component. */
export const platformDescriptions: Descriptions = {
  tags: {},
  members: {
    id: 'The id that the server gave it: a UUID in lower case.',
    createdAt: 'The time of creation, in UTC.',
    updatedAt: 'The time of the last change, in UTC.',
    deletedAt: 'The time of the deletion, in UTC; null while it is not deleted.',
    metadata:
      'Values of your own by key: at most 100 keys of at most 100 characters each, and values of at most 2000 characters.',
    items: 'The records of this page.',
    limit: 'The highest number of items on a page, as it was applied.',
    page: 'The number of this page, from 1.',
    next_cursor: 'Send it as `cursor` for the next page. The last page has none.',
    prev_cursor: 'Send it as `cursor` for the previous page. The first page has none.',
  },
  parameters: {
    organization_id: 'The id of the organization, a UUID.',
    ledger_id: 'The id of the ledger, a UUID.',
    'X-Organization-Id': 'The id of the organization, a UUID.',
  },
};
