/** Returns unpredictable bytes, for secrets. */
export type RandomBytes = (length: number) => Uint8Array;
