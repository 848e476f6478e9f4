import { journalOfLedger } from '#commands/ledger/journals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { BookedLedger } from './booked.ts';
import type { Command, Kind, CommandWish } from './request.ts';

/* Few assets and few names, so that clients get in each other's way. */

export const ASSETS = ['GOLD', 'SALT'];
/** The key of metadata that must sometimes be unique, and for whom. */
export const KEY = 'u';
export const HELD = ['account', 'transaction', 'operation'] as const;
export const VALUES = Array.from({ length: 12 }, (_, n) => `v${n}`);

export const ALIASES = Array.from('abcdefghij', (letter) => `@${letter}`);

export const inLedger = (kind: Kind, of: BookedLedger, command: Command): CommandWish => ({
  kind,
  journal: { name: journalOfLedger(of.id as Uuid).name },
  command: () => command,
});

export const orgOf = ({ organizationId }: BookedLedger): Uuid => organizationId as Uuid;
