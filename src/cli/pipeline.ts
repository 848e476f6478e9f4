import { audit } from '#src/bootstrap/audit.ts';
import { describeDifference, type Difference } from '#src/verify/difference.ts';
import type { Summary } from '#src/verify/journal.ts';
import type { KeptHashes } from '#src/verify/kept-hashes.ts';
import { createLogVerifier, type LogVerifier } from '#src/verify/log.ts';
import { EXIT, type CommandResult, type ResultOutput } from './command.ts';
import { isDifference, type EventSource, type SourceItem } from './event-source.ts';
import { withProgress } from './output.ts';

/** Receives the events that passed the check, in their order. */
export type Sink = Readonly<{
  take: (items: readonly SourceItem[]) => Promise<void> | void;
  /** Resolves when everything that was taken is stored. */
  end?: () => Promise<void>;
}>;

type Passed = Readonly<{ difference: Difference | undefined; events: number }>;

/** Passes the events of a source to a sink, up to the end or the first difference. */
export function passEvents(
  source: EventSource,
  label: string,
  sink?: Sink,
  check?: Pick<LogVerifier, 'take' | 'end' | 'nameOf'>,
): Promise<Passed> {
  return withProgress(label, async (report) => {
    let events = 0;
    let difference: Difference | undefined;
    for await (const items of source) {
      const sound: SourceItem[] = [];
      for (const item of items) {
        difference = isDifference(item) ? item : check?.take(item.journal, item.event);
        if (isDifference(item) || difference !== undefined) break;
        const journal = check === undefined ? item.journal : check.nameOf(item.journal);
        sound.push({ journal, event: item.event });
      }
      events += sound.length;
      await sink?.take(sound);
      if (difference !== undefined) break;
      const part = source.part?.() ?? 0;
      report(events, part > 0 ? Math.round(events / part) : undefined);
    }
    await sink?.end?.();
    return { difference: difference ?? check?.end(), events };
  });
}

export type Verification = Passed & Readonly<{ journals: readonly Summary[] }>;

/** Verifies the events of a source; `kept` are hashes from an earlier verification to compare with. */
export async function verifySource(
  source: EventSource,
  label = 'Events verified',
  { sink, kept }: Readonly<{ sink?: Sink; kept?: KeptHashes | undefined }> = {},
): Promise<Verification> {
  const verifier = createLogVerifier(audit, kept);
  const passed = await passEvents(source, label, sink, verifier);
  return { ...passed, journals: verifier.summaries() };
}

/**
 * Returns the result of a command that found a difference, after printing the difference and its consequence. It has no
 * journals, because what follows the difference was not verified.
 */
export function resultIfDifferent(
  { difference }: Passed,
  print: ResultOutput['print'],
  consequence = '',
): CommandResult | undefined {
  if (difference === undefined) return undefined;
  print(`Different: ${describeDifference(difference)}`);
  if (consequence !== '') print(consequence);
  return { exitCode: EXIT.difference, document: { sound: false, difference } };
}

/** Returns the result of a command that found everything sound; `members` are its own members of the document. */
export const soundResult = (
  { events, journals }: Verification,
  members: object = {},
): CommandResult => ({
  exitCode: EXIT.fine,
  document: {
    sound: true,
    ...members,
    events,
    journals: journals.map(({ unknown, ...journal }) => ({
      ...journal,
      unknown: Object.fromEntries(unknown),
    })),
  },
});
