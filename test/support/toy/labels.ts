import { recordProjection } from '#projections/record.ts';
import { recordReadRoutes, recordRenderers, type RecordShelf } from '#queries/record.ts';
import { recordWriteRoutes, type RecordHome } from '#src/http/record-routes.ts';
import type { Decider, JournalOf } from '#src/kernel/decider.ts';
import { refuse, refuseAny } from '#src/kernel/errors.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import { declareRecord, isTaken, type Lifetime, type RecordEvent } from '#src/kernel/record.ts';
import type { RecordResource } from '#src/kernel/record-resource.ts';
import {
  changedMetadata,
  changedName,
  metadataView,
  name,
  newMetadata,
  record,
  recordView,
} from '#src/kernel/schema-fragments.ts';
import type { AuditRules } from '#src/verify/rules.ts';
import { LiveRecords } from '#src/verify/record.ts';

/* A declared record of a tenant: labels, each with a name of its own. */

type LabelFields = Readonly<{ name: string; metadata?: Readonly<Record<string, string>> }>;
type LabelEvent = RecordEvent<'Label', LabelFields & Lifetime>;

const labels = declareRecord({
  name: 'Label',
  patch: { name: 'replace', metadata: 'merge' },
  kept: ({ name: kept }: LabelFields) => ({ name: kept }),
  unique: {
    name: (taken) =>
      refuseAny('VOUCHER_NAME_TAKEN', `The name "${taken}" is taken.`, isTaken('name', taken)),
  },
  notFound: () => refuse('NOT_FOUND', 'There is no such label.'),
});

type Labels = ReturnType<typeof labels.initialState>;
type LabelCommand = Parameters<typeof labels.decide>[1];

export const labelDecider: Decider<Labels, LabelCommand, LabelEvent> = {
  category: 'labels',
  snapshotVersion: 1,
  initialState: labels.initialState,
  needs: (state, command, facts) => labels.needs(state, command, facts),
  decide: (state, command, facts, stamp) => labels.decide(state, command, facts, stamp, {}),
  evolve: (state, event, revision) => {
    labels.evolve(state, event, revision);
  },
  fact: () => undefined,
  toSnapshot: (state) => [JSON.stringify([...state.all()])],
  fromSnapshot([chunk = '[]']) {
    const state = labels.initialState();
    for (const one of JSON.parse(chunk) as Parameters<Labels['put']>) state.put(one);
    return state;
  },
};

export const labelResource = {
  name: 'Label',
  nouns: ['a label', 'labels'],
  tag: 'Labels',
  path: 'labels',
  create: record({ name: name(20), metadata: newMetadata }, ['name']),
  update: record({ name: changedName(20), metadata: changedMetadata }, []),
  view: recordView('Label', [], { name: { type: 'string' }, metadata: metadataView }, ['metadata']),
  refusals: { create: ['VOUCHER_NAME_TAKEN'], update: ['VOUCHER_NAME_TAKEN'] },
  list: { paging: 'cursor' },
  rows: {},
} as const satisfies RecordResource;

const journalOf = (tenantId: string): JournalOf<LabelCommand, LabelEvent> => ({
  name: `labels-${tenantId}` as JournalName,
});

const home: RecordHome = {
  path: '/v1/organizations/{organization_id}/toys',
  refusals: [],
  async submit(request, { commands }, command) {
    const journal = journalOf(request.context.tenantId);
    const { events, revision } = await commands.submit(request, journal, command as LabelCommand);
    return { events, token: { [journal.name]: revision } };
  },
};

const shelf: RecordShelf = {
  path: '/v1/organizations/{organization_id}/toys',
  refusals: [],
  open: ({ context }) => Promise.resolve({ after: journalOf(context.tenantId).name }),
};

export const labelRoutes = [
  ...recordWriteRoutes(labelResource, home),
  ...recordReadRoutes(labelResource, shelf),
];
export const labelProjection = recordProjection(labelResource);
export const labelRenderers = recordRenderers([labelResource]);

export const createLabelRules = (): AuditRules => {
  const live = new LiveRecords<Readonly<{ id: string; name: string }>>('Label', 'name');
  const rules = live.rules(() => undefined);
  return {
    open: (_, journal = 'labels') => journal,
    apply(type, data) {
      rules[type]?.(data);
      return type in rules;
    },
    transactions: () => 0,
  };
};
