import { expect } from 'chai';
import type { ChangeLedgerSettings } from '#commands/ledger/records/ledger-settings.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import {
  changedSettings,
  defaultSettings,
  type LedgerSettingsChanges,
} from '#src/events/ledger/ledger-settings.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { idOf, ledgerOpened, openLedger, ORGANIZATION } from '#test/support/ledger-samples.ts';

const { given } = specFor(ledgerDecider);
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;

const change = (changes: LedgerSettingsChanges): ChangeLedgerSettings => ({
  type: 'ChangeLedgerSettings',
  organizationId: ORGANIZATION,
  changes,
});

const strict = changedSettings(defaultSettings, { accounting: { validateRoutes: true } });

describe('settings of a ledger', () => {
  it('are the default until they are set', () => {
    const state = ledgerDecider.initialState();
    ledgerDecider.evolve(state, ledgerOpened(), 0);
    expect(state.settings).to.deep.equal(defaultSettings);
  });

  it('hold from its opening when it was created with them', () => {
    given()
      .when(openLedger({ settings: strict }))
      .then(ledgerOpened({ settings: strict }));
    const state = ledgerDecider.initialState();
    ledgerDecider.evolve(state, ledgerOpened({ settings: strict }), 0);
    expect(state.settings).to.deep.equal(strict);
  });

  it('change member by member, and are recorded with the whole ledger and what changed', () => {
    const { data } = ledgerOpened({ metadata: { tier: 1 } }) as LedgerEvent & {
      type: 'LedgerOpened';
    };
    given(ledgerOpened({ metadata: { tier: 1 } }))
      .when(change({ accounting: { validateRoutes: true }, tracer: { timeoutMs: 90 } }), {}, LATER)
      .then({
        type: 'LedgerSettingsChanged',
        data: {
          ledger: {
            ...data.ledger,
            settings: { ...strict, tracer: { mode: 'off', failPosture: 'open', timeoutMs: 90 } },
            updatedAt: LATER,
          },
          changed: ['accounting.validateRoutes', 'tracer.timeoutMs'],
        },
      });
  });

  it('stay where nothing else is said, null included', () => {
    for (const changes of [
      {},
      { accounting: null },
      { accounting: { validateRoutes: null } },
      { accounting: { validateRoutes: true }, tracer: { mode: 'off' } },
    ] as const) {
      given(ledgerOpened({ settings: strict }))
        .when(change(changes))
        .thenNothing();
    }
  });

  it('bind from the next command on, and outlive a snapshot', () => {
    const state = ledgerDecider.initialState();
    const opened = ledgerOpened() as LedgerEvent & { type: 'LedgerOpened' };
    ledgerDecider.evolve(state, opened, 0);
    const ledger = { ...opened.data.ledger, settings: strict };
    const data = { ledger, changed: ['accounting.validateRoutes'] };
    ledgerDecider.evolve(state, { type: 'LedgerSettingsChanged', data }, 1);
    expect(state).to.include({ settings: strict, revision: 1 });
    expect(ledgerDecider.fromSnapshot(ledgerDecider.toSnapshot(state))).to.deep.equal(state);
  });

  it('are not found where the ledger is not', () => {
    given().when(change({})).thenRefused('NOT_FOUND');
    given(ledgerOpened())
      .when({ ...change({}), organizationId: idOf('another organization') })
      .thenRefused('NOT_FOUND');
  });
});
