import { accessDecider } from '#commands/access/access.ts';

export const deciders = [accessDecider];
