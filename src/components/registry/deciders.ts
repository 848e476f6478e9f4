import { registryDecider } from '#commands/registry/registry.ts';

export const deciders = [registryDecider];
