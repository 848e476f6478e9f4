import { expect } from 'chai';
import fc from 'fast-check';
import { matchesFilters } from '#src/bridge/subscription-filter.ts';
import type { SubscriptionFilters } from '#src/kernel/subscription.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';

const ORGANIZATION = '0190a1c0-0000-7000-8000-000000000001';
const LEDGER = '0190a1c0-0000-7000-8000-000000000002';
const ACCOUNT = '0190a1c0-0000-7000-8000-0000000000aa';

/** An event as the catalog maps it: `account.created`, with the ids of its payload. */
function recordOf(key: string, payload: unknown, subject?: string): OutgoingRecord {
  const [resource = '', event = ''] = key.split('.');
  return {
    key: 'any',
    headers: {
      'ce-type': `studio.quipu.${key}`,
      'ce-resourcetype': resource,
      'ce-eventtype': event,
      ...(subject !== undefined && { 'ce-subject': subject }),
    },
    value: typeof payload === 'string' ? payload : JSON.stringify(payload),
  };
}
const inLedger = { organizationId: ORGANIZATION, ledgerId: LEDGER };
const opened = recordOf('account.created', { id: ACCOUNT, ...inLedger }, ACCOUNT);
const organization = recordOf('organization.updated', { id: ORGANIZATION });
const ledger = recordOf('ledger.updated', { id: LEDGER, organizationId: ORGANIZATION });

describe('the filters of a subscription', () => {
  const cases: [string, SubscriptionFilters, OutgoingRecord, boolean][] = [
    ['no member matches nothing', {}, opened, false],
    ['only absent members match nothing', { types: undefined } as never, opened, false],

    ['the full type', { types: ['studio.quipu.account.created'] }, opened, true],
    ['the event key', { types: ['account.created'] }, opened, true],
    ['another type', { types: ['account.updated'] }, opened, false],
    ['one of several types', { types: ['account.updated', 'account.created'] }, opened, true],
    ['an empty list of types', { types: [] }, opened, false],
    ['the type of another platform', { types: ['studio.other.account.created'] }, opened, false],
    ['a part of a type', { types: ['account'] }, opened, false],
    ['the end of a type', { types: ['quipu.account.created'] }, opened, false],
    ['every type', { types: ['*'] }, opened, true],
    ['every type of a resource', { types: ['account.*'] }, opened, true],
    ['every full type of a resource', { types: ['studio.quipu.account.*'] }, opened, true],
    ['two segments for the star', { types: ['studio.quipu.*'] }, opened, true],
    ['three segments for the star', { types: ['studio.*'] }, opened, true],
    ['no segment for the star', { types: ['account.created.*'] }, opened, false],
    ['a star inside a segment', { types: ['account.cre*'] }, opened, false],
    ['a star that begins', { types: ['*.created'] }, opened, false],
    ['a star in the middle', { types: ['studio.*.created'] }, opened, false],
    ['a resource that begins alike', { types: ['acc.*'] }, opened, false],
    [
      'hyphens are kept',
      { types: ['balance.config-changed'] },
      recordOf('balance.config-changed', {}),
      true,
    ],

    ['the resource', { resourceTypes: ['account'] }, opened, true],
    ['another resource', { resourceTypes: ['balance'] }, opened, false],
    ['an empty list of resources', { resourceTypes: [] }, opened, false],
    ['a pattern is not a resource', { resourceTypes: ['*'] }, opened, false],
    ['the event', { eventTypes: ['created'] }, opened, true],
    ['another event', { eventTypes: ['deleted'] }, opened, false],
    ['an empty list of events', { eventTypes: [] }, opened, false],
    ['the subject', { subjects: [ACCOUNT] }, opened, true],
    ['another subject', { subjects: [LEDGER] }, opened, false],
    ['an empty list of subjects', { subjects: [] }, opened, false],
    ['the subject of an event without one', { subjects: [''] }, organization, false],

    ['the organization', { organizationIds: [ORGANIZATION] }, opened, true],
    ['another organization', { organizationIds: [LEDGER] }, opened, false],
    ['an empty list of organizations', { organizationIds: [] }, opened, false],
    ['the organization itself', { organizationIds: [ORGANIZATION] }, organization, true],
    ['its id is not a ledger', { ledgerIds: [ORGANIZATION] }, organization, false],
    ['the ledger', { ledgerIds: [LEDGER] }, opened, true],
    ['another ledger', { ledgerIds: [ORGANIZATION] }, opened, false],
    ['an empty list of ledgers', { ledgerIds: [] }, opened, false],
    ['the ledger itself', { ledgerIds: [LEDGER] }, ledger, true],
    ['the organization of a ledger', { organizationIds: [ORGANIZATION] }, ledger, true],
    ['the id of a ledger is not its organization', { organizationIds: [LEDGER] }, ledger, false],
    ['the id of an account is not its ledger', { ledgerIds: [ACCOUNT] }, opened, false],
    ['a payload without ids', { ledgerIds: [LEDGER] }, recordOf('rule.created', {}), false],
    ['a payload that is null', { ledgerIds: [LEDGER] }, recordOf('rule.created', null), false],
    ['a payload that is empty', { ledgerIds: [LEDGER] }, recordOf('ledger.created', ''), false],
    ['a payload that is not parsed', { types: ['*'] }, recordOf('ledger.created', '{'), true],
    ['ids of another type', { ledgerIds: ['7'] }, recordOf('a.b', { ledgerId: 7 }), false],

    ['every filter', { types: ['account.*'], eventTypes: ['created'], ...ids() }, opened, true],
    ['all but one', { types: ['account.*'], eventTypes: ['deleted'], ...ids() }, opened, false],
    ['all but the last', { types: ['*'], ...ids(), ledgerIds: [] }, opened, false],
  ];
  for (const [title, filters, record, expected] of cases) {
    it(`${expected ? 'pass' : 'stop'}: ${title}`, () => {
      expect(matchesFilters(filters, record)).to.equal(expected);
    });
  }

  it('pass nothing without headers', () => {
    const bare = { key: 'any', headers: {}, value: '{}' };
    expect(matchesFilters({ types: ['*'] }, bare)).to.equal(false);
    expect(matchesFilters({ types: ['undefined.undefined'] }, bare)).to.equal(false);
  });

  it('are a conjunction of disjunctions, over any records and lists', () => {
    const word = fc.constantFrom('a', 'b', 'ab', 'a-b');
    const id = fc.constantFrom(ORGANIZATION, LEDGER, ACCOUNT);
    const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 3 });
    const pattern = fc
      .tuple(fc.array(word, { minLength: 1, maxLength: 4 }), fc.boolean())
      .map(([segments, open]) => [...segments, ...(open ? ['*'] : [])].join('.'));
    const filters = fc.record(
      {
        types: list(fc.oneof(pattern, fc.constant('*'))),
        resourceTypes: list(fc.oneof(word, fc.constantFrom('organization', 'ledger'))),
        eventTypes: list(word),
        subjects: list(id),
        organizationIds: list(id),
        ledgerIds: list(id),
      },
      { requiredKeys: [] },
    );
    const resource = fc.oneof(word, fc.constantFrom('organization', 'ledger'));
    const payload = fc.record({ id, organizationId: id, ledgerId: id }, { requiredKeys: [] });
    const event = fc.record({ resource, event: word, subject: fc.option(id), payload });

    fc.assert(
      fc.property(
        filters,
        event,
        (given, { resource: of, event: what, subject, payload: sent }) => {
          const headers = {
            'ce-type': `a.b.${of}.${what}`,
            'ce-resourcetype': of,
            'ce-eventtype': what,
            ...(subject !== null && { 'ce-subject': subject }),
          };
          const tests: Record<keyof SubscriptionFilters, (text: string) => boolean> = {
            types: (text) => {
              const source = text
                .split('.')
                .map((part) => (part === '*' ? '[^.]+(\\.[^.]+)*' : part));
              const pattern = new RegExp(`^${source.join('\\.')}$`);
              return [headers['ce-type'], `${of}.${what}`].some((name) => pattern.test(name));
            },
            resourceTypes: (text) => text === of,
            eventTypes: (text) => text === what,
            subjects: (text) => text === subject,
            organizationIds: (text) =>
              text === (sent.organizationId ?? (of === 'organization' ? sent.id : null)),
            ledgerIds: (text) => text === (sent.ledgerId ?? (of === 'ledger' ? sent.id : null)),
          };
          const members = Object.entries(given) as [keyof SubscriptionFilters, string[]][];
          const expected =
            members.length > 0 && members.every(([member, texts]) => texts.some(tests[member]));

          const record = { key: 'any', headers, value: JSON.stringify(sent) };
          expect(matchesFilters(given, record)).to.equal(expected);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

function ids(): SubscriptionFilters {
  return { organizationIds: [ORGANIZATION], ledgerIds: [LEDGER], subjects: [ACCOUNT] };
}
