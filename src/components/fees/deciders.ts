import { feesDecider } from '#commands/fees/fees.ts';

export const deciders = [feesDecider];
