import { randomBytes } from 'node:crypto';
import { environmentKeyWrapping } from '#src/adapters/environment-key/key-wrapping.ts';
import { systemRandomBytes } from '#src/adapters/system.ts';
import { keyWrappingContract } from './key-wrapping.contract.ts';

describe('key wrapping: environment key', () => {
  keyWrappingContract(async () => {
    const [old, current] = [randomBytes(32), randomBytes(32)];
    const over = (newest: Uint8Array, previous: Uint8Array[] = []) =>
      environmentKeyWrapping({ current: newest, previous, randomBytes: systemRandomBytes });
    return {
      wrapping: over(old),
      rotate: async () => over(current, [old]),
      forget: async () => over(current),
    };
  });
});
