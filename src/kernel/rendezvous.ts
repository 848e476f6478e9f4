/**
 * Returns the candidate that owns a name: the one with the highest score for it. When a candidate comes or goes, only the
 * names that it wins or had change their owner.
 */
export function ownerAmong(name: string, candidates: Iterable<string>): string | undefined {
  let owner: string | undefined;
  let highest = -1;
  for (const candidate of candidates) {
    const score = scoreOf(`${candidate} ${name}`);
    // Equal scores are decided by name, so that the order of the candidates does not matter.
    if (score < highest || (score === highest && candidate < owner!)) continue;
    [owner, highest] = [candidate, score];
  }
  return owner;
}

/** FNV-1a with the finalizer of MurmurHash3, without which names that differ in a few letters have similar scores. */
function scoreOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
