import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { Entry } from './event-log.ts';

/** What a reader of everything wants to see: by the names of streams or types, by pattern or prefixes. */
export function filterOf(options: ReadReq.Options): (event: Entry) => boolean {
  const filter = options.getFilter();
  if (filter === undefined) return () => true;
  const byStream = filter.getStreamIdentifier();
  const expression = byStream ?? filter.getEventType();
  const prefixes = expression?.getPrefixList() ?? [];
  const pattern = new RegExp(expression?.getRegex() ?? '', 'u');
  const matches =
    prefixes.length > 0 ? startsWithOne(prefixes) : (name: string) => pattern.test(name);
  return ({ stream, type }) => matches(byStream === undefined ? type : stream);
}

const startsWithOne = (prefixes: readonly string[]) => (name: string) =>
  prefixes.some((prefix) => name.startsWith(prefix));
