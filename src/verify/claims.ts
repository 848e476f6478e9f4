import { differ } from './difference.ts';

/** Checks a `MetadataClaimed`: its values are under one key, and each is claimed once. */
export function checkClaimed({ entityName, metadataKey, records }: Claimed): void {
  const beginning = `${entityName}/${metadataKey}/`;
  const seen = new Set<string>();
  for (const { id, names } of records) {
    if (names.length === 0) differ(`it claims nothing for ${id}`);
    for (const name of names) {
      if (!name.startsWith(beginning)) differ(`it claims ${name}, which is not under its key`);
      if (seen.has(name)) differ(`it claims ${name} twice`);
      seen.add(name);
    }
  }
}

export type Claimed = Readonly<{
  entityName: string;
  metadataKey: string;
  records: readonly Readonly<{ id: string; names: readonly string[] }>[];
}>;
