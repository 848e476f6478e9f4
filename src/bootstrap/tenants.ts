import { SINGLE_TENANT } from '#src/bridge/envelope.ts';

/** Without access management, there is one tenant. */
export const TENANTS: readonly string[] = [SINGLE_TENANT];
