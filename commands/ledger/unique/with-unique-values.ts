import { uniqueKeysIn } from '#commands/ledger/state/journal-facts.ts';
import type { Decider, DomainEvent, Facts } from '#src/kernel/decider.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import {
  valueName,
  valueText,
  type UniqueKeys,
  type ValueName,
} from '#src/kernel/unique-values.ts';
import { isClaimed, needsClaimant, type RevisionOf, type UniqueValue } from './claimant.ts';
import {
  metadataWrittenBy,
  type MetadataWritten,
  type MetadataCommand,
} from './metadata-written.ts';
import { mergeNeeds } from './merge-needs.ts';

/**
 * Adds the tenant's unique metadata keys to the rules of a journal. The event of a command claims the values that it
 * writes under such a key; a value that another live record of the journal has is refused. Nothing is looked up for a
 * tenant without unique keys or a command without metadata.
 */
export function withUniqueValues<State, Command extends MetadataCommand, Event extends DomainEvent>(
  rules: Decider<State, Command, Event>,
  revisionOf: RevisionOf<State>,
): Decider<State, Command, Event> {
  return {
    ...rules,

    needs(state, command, facts) {
      const needs = rules.needs(state, command, facts);
      if (needs !== undefined) return needs;
      const written = metadataWrittenBy(command);
      if (written.length === 0) return undefined;
      if (facts.settings() === undefined) return { settings: true };
      const claims = claimsOf(written, uniqueKeysIn(facts));
      return mergeNeeds(claims.map((claim) => needsClaimant(state, claim, facts, revisionOf)));
    },

    decide(state, command, facts, stamp) {
      const decision = rules.decide(state, command, facts, stamp);
      if ('unchanged' in decision) return decision;
      const written = metadataWrittenBy(command);
      if (written.length === 0) return decision;
      if (facts.settings() === undefined) throw new Error('The settings were not looked up');
      const claims = claimsOf(written, uniqueKeysIn(facts));
      if (claims.length === 0) return decision;
      check(state, claims, facts, revisionOf);
      return decision.map((event, n) =>
        claiming(
          event,
          claims.filter((claim) => claim.written.event === n),
        ),
      );
    },
  };
}

type Claim = UniqueValue & Readonly<{ written: MetadataWritten }>;

function claimsOf(
  written: readonly MetadataWritten[],
  unique: UniqueKeys | undefined,
): readonly Claim[] {
  if (unique === undefined || unique.size === 0) return [];
  return written.flatMap((one) => {
    const claims: Claim[] = [];
    for (const key of unique.get(one.entity) ?? []) {
      const text = Object.hasOwn(one.metadata, key) ? valueText(one.metadata[key]) : undefined;
      if (text === undefined) continue;
      claims.push({
        entity: one.entity,
        key,
        text,
        name: valueName(one.entity, key, text),
        written: one,
      });
    }
    return claims;
  });
}

/** Also refuses a value that two items or legs of the request share. Errors: INDEX_CONFLICT. */
function check<State>(
  state: State,
  claims: readonly Claim[],
  facts: Facts,
  revisionOf: RevisionOf<State>,
): void {
  const names = new Set<ValueName>();
  for (const claim of claims) {
    const isRepeated = names.has(claim.name);
    if (isRepeated || isClaimed(state, claim, claim.written.of, facts, revisionOf))
      throw repeated(claim);
    names.add(claim.name);
  }
}

const claiming = <Event extends DomainEvent>(event: Event, claims: readonly Claim[]): Event =>
  claims.length === 0 ? event : { ...event, claims: claims.map(({ name }) => name) };

function repeated({ entity, key, written }: Claim): Refusal {
  const kind = entity.replaceAll('_', ' ');
  return refuse('INDEX_CONFLICT', `Another ${kind} has the same value under the key ${key}.`, {
    findings: [
      {
        location: `${written.location}.${key}`,
        message: 'is taken',
        value: written.metadata[key],
      },
    ],
  });
}
