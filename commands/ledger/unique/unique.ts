import { uniqueKeysIn } from '#commands/ledger/state/journal-facts.ts';
import type { Decider, DomainEvent, Facts } from '#src/kernel/decider.ts';
import { refuse, type Refusal } from '#src/kernel/errors.ts';
import {
  valueName,
  valueText,
  type UniqueKeys,
  type ValueName,
} from '#src/kernel/unique-values.ts';
import { isHeld, needsHolder, type RevisionOf, type Value } from './claimant.ts';
import { saidBy, type Said, type Saying } from './metadata-written.ts';
import { together } from './merge-needs.ts';

/**
 * Holds a journal's rules to the unique values that the tenant asks for: whatever a command writes into metadata under
 * such a key is claimed by its event, unless a live record of the journal has it. Who asks for none, or writes no
 * metadata, looks nothing up.
 */
export function withUniqueValues<State, Command extends Saying, Event extends DomainEvent>(
  rules: Decider<State, Command, Event>,
  revisionOf: RevisionOf<State>,
): Decider<State, Command, Event> {
  return {
    ...rules,

    needs(state, command, facts) {
      const needs = rules.needs(state, command, facts);
      if (needs !== undefined) return needs;
      const said = saidBy(command);
      if (said.length === 0) return undefined;
      if (facts.settings() === undefined) return { settings: true };
      const claims = claimsOf(said, uniqueKeysIn(facts));
      return together(claims.map((claim) => needsHolder(state, claim, facts, revisionOf)));
    },

    decide(state, command, facts, stamp) {
      const decision = rules.decide(state, command, facts, stamp);
      if ('unchanged' in decision) return decision;
      const said = saidBy(command);
      if (said.length === 0) return decision;
      if (facts.settings() === undefined) throw new Error('The settings were not looked up');
      const claims = claimsOf(said, uniqueKeysIn(facts));
      if (claims.length === 0) return decision;
      check(state, claims, facts, revisionOf);
      return decision.map((event, n) =>
        claiming(
          event,
          claims.filter((claim) => claim.said.event === n),
        ),
      );
    },
  };
}

type Claim = Value & Readonly<{ said: Said }>;

function claimsOf(said: readonly Said[], unique: UniqueKeys | undefined): readonly Claim[] {
  if (unique === undefined || unique.size === 0) return [];
  return said.flatMap((one) => {
    const claims: Claim[] = [];
    for (const key of unique.get(one.entity) ?? []) {
      const text = Object.hasOwn(one.metadata, key) ? valueText(one.metadata[key]) : undefined;
      if (text === undefined) continue;
      claims.push({
        entity: one.entity,
        key,
        text,
        name: valueName(one.entity, key, text),
        said: one,
      });
    }
    return claims;
  });
}

/** Items and legs of one request compete with one another as well. Errors: INDEX_CONFLICT. */
function check<State>(
  state: State,
  claims: readonly Claim[],
  facts: Facts,
  revisionOf: RevisionOf<State>,
): void {
  const names = new Set<ValueName>();
  for (const claim of claims) {
    const isRepeated = names.has(claim.name);
    if (isRepeated || isHeld(state, claim, claim.said.of, facts, revisionOf)) throw repeated(claim);
    names.add(claim.name);
  }
}

const claiming = <Event extends DomainEvent>(event: Event, claims: readonly Claim[]): Event =>
  claims.length === 0 ? event : { ...event, claims: claims.map(({ name }) => name) };

function repeated({ entity, key, said }: Claim): Refusal {
  const kind = entity.replaceAll('_', ' ');
  return refuse('INDEX_CONFLICT', `Another ${kind} has the same value under the key ${key}.`, {
    findings: [
      {
        location: `${said.location}.${key}`,
        message: 'is taken',
        value: said.metadata[key],
      },
    ],
  });
}
