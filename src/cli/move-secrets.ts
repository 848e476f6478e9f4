import { Destroyed, type SecretStore } from '#src/ports/secret-store.ts';
import type { TokenIndex } from '#src/ports/token-index.ts';
import { CliError } from './command.ts';
import { retryCopy } from './copier.ts';
import { eachWithProgress } from './output.ts';

/**
 * Checks all secrets before any is moved. Errors: CliError when the target has a different secret under one of these
 * names.
 */
export async function mustTakeSecrets(from: SecretStore, to: SecretStore): Promise<void> {
  const list = () => from.list();
  await eachWithProgress('Secrets compared', list, async ({ name, secret }) => {
    const found = await retryCopy(() => to.get(name));
    if (found !== undefined && !isEqual(found.value, secret.value)) throw anotherSecret(name);
  });
}

/**
 * Moves all secrets, and the names of destroyed ones, which stay reserved. A secret that was destroyed in the target stays
 * destroyed. Returns how many secrets of the folder the target has. Errors: CliError for one that differs there.
 */
export async function moveSecrets(from: SecretStore, to: SecretStore): Promise<number> {
  let moved = 0;
  const list = () => from.list();
  await eachWithProgress('Secrets moved', list, async ({ name, secret }) => {
    const written = await retryCopy(() => to.compareAndSet(name, undefined, secret.value));
    const found = written === undefined ? await retryCopy(() => to.get(name)) : secret;
    if (found === undefined) return; // The target destroyed it.
    if (!isEqual(found.value, secret.value)) throw anotherSecret(name);
    moved += 1;
  });
  for await (const name of from.listDestroyed()) await retryCopy(() => to.destroy(name));
  return moved;
}

/**
 * Moves the search tokens of all records whose secrets have been moved. A record that was erased in the target stays
 * erased. Errors: CliError when another record of the target holds a unique token.
 */
export async function moveTokens(from: TokenIndex, to: TokenIndex): Promise<void> {
  const list = () => from.list();
  await eachWithProgress('Search tokens moved', list, async ({ tokens, claims, ...record }) => {
    const entry = { tokens, claims: claims.map((token) => ({ token })) };
    const taken = await retryCopy(() => to.extend(record, entry)).catch(ignoreErased);
    if (taken === undefined) return;
    throw new CliError(
      `The new deployment gave a unique value of record ${record.recordId} to record ${taken.recordId}.`,
    );
  });
}

function ignoreErased(error: unknown): undefined {
  if (!(error instanceof Destroyed)) throw error;
}

const isEqual = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

const anotherSecret = (name: string): CliError =>
  new CliError(`The new deployment already has a different secret named ${name}.`);
