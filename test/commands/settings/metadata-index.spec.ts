import type { SettingsFact } from '#src/kernel/unique-values.ts';
import { expect } from 'chai';
import type {
  CreateMetadataIndex,
  DeleteMetadataIndex,
} from '#commands/settings/metadata-index.ts';
import { settingsDecider } from '#commands/settings/settings.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { MetadataIndexRecord, SettingsEvent } from '#src/events/settings/settings.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { idOf } from '#test/support/ledger-samples.ts';
import { NOW, nthId } from '#test/support/stamps.ts';

const { given } = specFor(settingsDecider);

const index = (changes: Partial<MetadataIndexRecord> = {}): MetadataIndexRecord => ({
  id: idOf('index'),
  entityName: 'account',
  metadataKey: 'tier',
  unique: false,
  sparse: true,
  createdAt: NOW,
  ...changes,
});
const created = (changes: Partial<MetadataIndexRecord> = {}): SettingsEvent => ({
  type: 'MetadataIndexCreated',
  data: { index: index(changes) },
});
const deleted: SettingsEvent = { type: 'MetadataIndexDeleted', data: { index: index() } };

const create = (fields: Partial<CreateMetadataIndex['fields']> = {}): CreateMetadataIndex => ({
  type: 'CreateMetadataIndex',
  fields: { entityName: 'account', metadataKey: 'tier', unique: false, sparse: true, ...fields },
});
const drop = (metadataKey = 'tier'): DeleteMetadataIndex => ({
  type: 'DeleteMetadataIndex',
  entityName: 'account',
  metadataKey,
});

describe('metadata index', () => {
  it('is created for a kind of records and a key', () => {
    given()
      .when(create({ sparse: false }))
      .then(created({ id: nthId(1), sparse: false }));
  });

  it('is there once for each key, with its letter case, of each kind', () => {
    given(created())
      .when(create({ sparse: false }))
      .thenRefused('INDEX_CONFLICT');
    given(created())
      .when(create({ metadataKey: 'Tier' }))
      .then(created({ id: nthId(1), metadataKey: 'Tier' }));
    given(created())
      .when(create({ entityName: 'asset' }))
      .then(created({ id: nthId(1), entityName: 'asset' }));
  });

  it('is one of 20 at most of its kind', () => {
    const many = Array.from({ length: 20 }, (_, n) => created({ metadataKey: `k${n}` }));
    given(...many)
      .when(create())
      .thenRefused('TOO_MANY_INDEXES');
    given(...many)
      .when(create({ metadataKey: 'k0' }))
      .thenRefused('INDEX_CONFLICT');
    given(...many)
      .when(create({ entityName: 'asset' }))
      .then(created({ id: nthId(1), entityName: 'asset' }));
  });

  it('is dropped as it was, and may then come again', () => {
    given(created()).when(drop()).then(deleted);
    given(created(), deleted)
      .when(create())
      .then(created({ id: nthId(1) }));
  });

  it('is not dropped where there is none', () => {
    given().when(drop()).thenRefused('INDEX_NOT_FOUND');
    given(created(), deleted).when(drop()).thenRefused('INDEX_NOT_FOUND');
  });

  it('is not dropped when it is the store that keeps it', () => {
    for (const key of ['_id', '_id_']) given().when(drop(key)).thenRefused('INDEX_PROTECTED');
  });

  describe('that is unique', () => {
    const building = created({ unique: true, building: true });
    const built: SettingsEvent = {
      type: 'MetadataIndexBuilt',
      data: { index: index({ unique: true }) },
    };
    const taken: SettingsEvent = {
      type: 'MetadataIndexDeleted',
      data: { index: index({ unique: true, building: true }) },
    };
    const finish = { type: 'FinishMetadataIndex', id: idOf('index') } as const;
    const giveUp = { type: 'GiveUpMetadataIndex', id: idOf('index') } as const;

    it('is built in two steps, the second one once', () => {
      given()
        .when(create({ unique: true }))
        .then(created({ id: nthId(1), unique: true, building: true }));
      given(building).when(finish).then(built);
      given(building, built).when(finish).thenUnchanged(built);
    });

    it('is given up while it is built, and not later', () => {
      given(building).when(giveUp).then(taken);
      given(building, taken).when(giveUp).thenNothing();
      given(building, taken).when(finish).thenRefused('INDEX_CONFLICT');
      given(building, built).when(giveUp).thenNothing();
    });

    it('gives way to another after two minutes, whatever that one is for', () => {
      given(building).when(create()).thenRefused('INDEX_CONFLICT');
      const later = '2030-01-01T00:00:00.000000Z' as Instant;
      const events = given(building)
        .when(create({ metadataKey: 'other' }), {}, later)
        .happened();
      expect(events.map(({ type }) => type)).to.deep.equal([
        'MetadataIndexDeleted',
        'MetadataIndexCreated',
      ]);
    });

    it('binds writes from its first step until it is dropped', () => {
      const unique = (...events: readonly SettingsEvent[]) => {
        const state = settingsDecider.initialState();
        for (const [n, event] of events.entries()) settingsDecider.evolve(state, event, n);
        const thawed = settingsDecider.fromSnapshot(settingsDecider.toSnapshot(state));
        expect(thawed).to.deep.equal(state);
        const told = settingsDecider.fact(thawed) as SettingsFact | undefined;
        return told?.unique?.get('account')?.has('tier') ?? false;
      };
      expect(unique(building)).to.equal(true);
      expect(unique(building, built)).to.equal(true);
      expect(unique(building, taken)).to.equal(false);
      expect(unique(created())).to.equal(false);
    });
  });

  it('is known after a snapshot too', () => {
    const state = settingsDecider.initialState();
    expect(settingsDecider.fact(state)).to.equal(undefined);
    settingsDecider.evolve(state, created(), 0);
    expect(settingsDecider.fact(state)).to.deep.equal({ live: true });
    expect(settingsDecider.fromSnapshot(settingsDecider.toSnapshot(state))).to.deep.equal(state);
  });
});
