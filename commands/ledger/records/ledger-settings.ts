import type { Decision, Facts, Stamp } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import {
  changedSettings,
  defaultSettings,
  differingSettings,
  type LedgerSettingsChanges,
} from '#src/events/ledger/ledger-settings.ts';
import type { LedgerEvent, LedgerRecord } from '#src/events/ledger/ledger.ts';
import { beforeImage } from '#commands/ledger/state/before-image.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';

export type ChangeLedgerSettings = Readonly<{
  type: 'ChangeLedgerSettings';
  organizationId: Uuid;
  changes: LedgerSettingsChanges;
}>;

/** New settings apply from the next command on; existing records stay as they are. */
export function changeLedgerSettings(
  { revision }: Ledger,
  { changes }: ChangeLedgerSettings,
  facts: Facts,
  { instant }: Stamp,
): Decision<LedgerEvent> {
  const before = beforeImage('ledger', revision, facts);
  const known = before.settings ?? defaultSettings;
  const settings = changedSettings(known, changes);
  const changed = differingSettings(known, settings);
  if (changed.length === 0) {
    return { unchanged: { type: 'LedgerSettingsChanged', data: { ledger: before, changed } } };
  }
  const ledger: LedgerRecord = { ...before, settings, updatedAt: instant };
  return [{ type: 'LedgerSettingsChanged', data: { ledger, changed } }];
}
