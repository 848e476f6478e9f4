import type { Uuid } from './ids.ts';

/**
 * Takes the place of the organization where the keys of users are wrapped and their names are indexed: users belong to a
 * tenant and to none of its organizations.
 */
export const ACCESS_SCOPE = '00000000-0000-8000-8000-616363657373' as Uuid;
