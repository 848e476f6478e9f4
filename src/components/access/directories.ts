import { Unavailable } from '#src/ports/errors.ts';
import type { Directories, Directory, SubjectChange } from '#src/ports/directory.ts';
import { createDirectory, type DirectorySources } from './directory.ts';

/** Directories that have what other processes recorded as often as `follow` is called. */
export type FollowedDirectories = Directories & Readonly<{ follow: () => Promise<void> }>;

/** Creates the directories of all tenants, which are read at their first use and stay in memory. */
export function createDirectories(
  sources: Omit<DirectorySources, 'tenantId'>,
): FollowedDirectories {
  const opened = new Map<string, Directory>();
  const opening = new Map<string, Promise<Directory>>();
  const listeners: ((change: SubjectChange, directory: Directory) => void)[] = [];

  const open = async (tenantId: string): Promise<Directory> => {
    const directory = createDirectory({ ...sources, tenantId });
    directory.changed((change) => {
      for (const listener of listeners) listener(change, directory);
    });
    await directory.reached();
    opened.set(tenantId, directory);
    return directory;
  };

  return {
    of(tenantId) {
      const known = opened.get(tenantId) ?? opening.get(tenantId);
      if (known !== undefined) return known;
      const reading = open(tenantId).finally(() => opening.delete(tenantId));
      opening.set(tenantId, reading);
      return reading;
    },

    changed(listener) {
      listeners.push(listener);
    },

    /** One after the other: with many tenants, requests come first. */
    async follow() {
      for (const directory of opened.values()) {
        await directory.reached().catch((error: unknown) => {
          if (!(error instanceof Unavailable)) throw error; // The log may become available again.
        });
      }
    },
  };
}
