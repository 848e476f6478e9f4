import type { Mount } from '#src/http/mount.ts';

const v1: Mount = { prefix: '/v1', version: 1 };
const v2: Mount = { prefix: '/v2', version: 2, copies: { prefix: '/v1', idSuffix: 'V2' } };

/** The operations of version 1 are also served below /v2, with the behavior of version 2. */
export const bothVersions: readonly Mount[] = [v1, v2];
