import type { Uuid } from '#src/kernel/ids.ts';

/** The namespace from which an organization's own holder is derived (contract registry-and-fees §A8). */
export const OWN_HOLDERS = '6ba7b812-9dad-11d1-80b4-00c04fd430c8' as Uuid;
