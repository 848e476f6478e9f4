import { streamingDecider } from '#commands/streaming/streaming.ts';

export const deciders = [streamingDecider];
