import type { Side } from '#src/events/shared.ts';

/**
 * The names of a request's members in the client's body. The API sends them along with the request, so that a rule can
 * locate what it refuses without knowing the form of the body. They are part of neither the request nor its
 * fingerprint, and no event records them.
 */
export type RequestLocations = Readonly<{
  asset: string;
  value: string;
  route: string;
  routeId: string;
  transactionDate: string;
  skip: Readonly<{ fees: string; tracer: string }>;
  /** The two lists of legs. */
  lists: Readonly<Record<Side, string>>;
  /** The members of a leg, relative to the leg. */
  leg: Readonly<Record<LegMember, string>>;
}>;

export type LegMember =
  'accountAlias' | 'balanceKey' | 'asset' | 'value' | 'route' | 'routeId' | 'metadata';

/** The position of a leg in the request, kept in parts because only a refusal needs it as text. */
export type LegLocation = Readonly<{ locations: RequestLocations; side: Side; index: number }>;

/** The location of a leg, or of one of its members. */
export function legLocation({ locations, side, index }: LegLocation, member?: LegMember): string {
  const leg = itemLocation({ list: locations.lists[side] }, index);
  return member === undefined ? leg : `${leg}.${locations.leg[member]}`;
}

/** The list of a body with several items. `places` has the index of each item if the body orders them differently. */
export type ItemLocations = Readonly<{ list: string; places?: readonly number[] }>;

export const itemLocation = ({ list, places }: ItemLocations, n: number): string =>
  `${list}[${String(places?.[n] ?? n)}]`;
