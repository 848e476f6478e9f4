import { indexBuildProcess } from '#commands/settings/processes/build-index.ts';

export const processes = [indexBuildProcess];
