import { randomBytes } from 'node:crypto';
import { environmentKeyWrapping } from '#src/adapters/environment-key/key-wrapping.ts';
import { systemClock, systemRandomBytes, systemScheduler } from '#src/adapters/system.ts';
import type { KeyWrapping } from '#src/ports/key-wrapping.ts';
import { createRecordKeys, type RecordKeySources } from '#src/runtime/protection/record-keys.ts';
import { memorySecretStore, type MemorySecretData } from '#test/doubles/memory/secret-store.ts';
import { memoryTokenIndex, newMemoryTokenData } from '#test/doubles/memory/token-index.ts';

export const newEnvironmentKey = (key: Uint8Array = randomBytes(32)): KeyWrapping =>
  environmentKeyWrapping({ current: key, randomBytes: systemRandomBytes });

/** Stores in memory, and processes with record keys over them. */
export function protectionWorld(given: Partial<RecordKeySources> = {}) {
  const data: MemorySecretData = new Map();
  const secrets = memorySecretStore(systemScheduler, data);
  const index = memoryTokenIndex(systemScheduler, data, newMemoryTokenData());
  const sources: RecordKeySources = {
    wrapping: newEnvironmentKey(),
    hashKey: randomBytes(32),
    secrets,
    index,
    clock: systemClock,
    scheduler: systemScheduler,
    randomBytes: systemRandomBytes,
    ...given,
  };
  return {
    ...{ data, secrets, index },
    /** Starts a process that shares the stores with the others. */
    process: (other: Partial<RecordKeySources> = {}) => createRecordKeys({ ...sources, ...other }),
  };
}
