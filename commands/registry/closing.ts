import { refuse } from '#src/events/registry/refusals.ts';
import type { HolderDeletion, RegistryEvent } from '#src/events/registry/registry.ts';
import type { Decision, Facts, Stamp } from '#src/kernel/decider.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { KnownHolder, Registry } from './holder-states.ts';

export type ClosingCommand =
  /**
   * Records that a live holder is closing: nothing may name it from then on. Returns the beginning of a closing under way,
   * and has no effect on a holder that was deleted, if it is to be erased. `ownsAccounts` says what was known before.
   */
  | Readonly<{
      type: 'BeginClosing';
      organizationId: Uuid;
      id: Uuid;
      deletion: HolderDeletion;
      ownsAccounts: boolean;
    }>
  /** Makes the holder live again; has no effect if the closing that began at that revision is over. */
  | Readonly<{ type: 'UndoClosing'; organizationId: Uuid; id: Uuid; closing: Revision }>;

type ClosingCommandOf<Type extends ClosingCommand['type']> = Extract<
  ClosingCommand,
  { type: Type }
>;

/** Errors: HOLDER_OWNS_ACCOUNTS. */
export function beginClosing(
  known: KnownHolder,
  { organizationId, id, deletion, ownsAccounts }: ClosingCommandOf<'BeginClosing'>,
  facts: Facts,
  { instant }: Stamp,
): Decision<RegistryEvent> {
  if (known.is === 'closing' && known.closing !== undefined) {
    return { unchanged: facts.event(known.closing) as RegistryEvent, at: known.closing };
  }
  if (known.is !== 'live') return [];
  if (ownsAccounts) throw holderOwnsAccounts();
  const closing = { organizationId, holderId: id, deletion, begunAt: instant };
  return [{ type: 'HolderClosingBegun', data: { closing } }];
}

export function undoClosing(
  { holders }: Registry,
  { organizationId, id, closing }: ClosingCommandOf<'UndoClosing'>,
): Decision<RegistryEvent> {
  const known = holders.get(id);
  if (known?.is !== 'closing' || known.closing !== closing) return [];
  return [{ type: 'HolderClosingUndone', data: { organizationId, holderId: id } }];
}

/**
 * Requires that a holder has been closing since that revision, so that no account can have named it since its accounts
 * were looked for. Errors: CLOSING_OVER.
 */
export function mustBeClosing(known: KnownHolder, closing: Revision | undefined): void {
  if (known.is === 'live' || (known.is === 'closing' && known.closing !== closing)) {
    throw closingOver();
  }
}

/** Never leaves the API: the caller begins again. */
const closingOver = (): Refusal => new Refusal('CLOSING_OVER', { detail: 'CLOSING_OVER' });

export const holderOwnsAccounts = (): Refusal =>
  refuse('HOLDER_OWNS_ACCOUNTS', 'The holder owns accounts that are not deleted.');
