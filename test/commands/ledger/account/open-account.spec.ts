import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { partId } from '#src/kernel/ids.ts';
import { defaultSettings, type LedgerSettings } from '#src/events/ledger/ledger-settings.ts';
import { specFor } from '#test/support/decider-spec.ts';
import {
  accountId,
  accountOpened,
  assetCreated,
  createAccount,
  externalOpened,
  idOf,
  inflow,
  ledgerOpened,
  ledgerWith,
  OWN_HOLDER,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { nthWhole } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);
const ID = nthWhole(1); // The id that the account of a story gets.
const NOBODY = idOf('nobody');

describe('account', () => {
  it('opens with an empty default balance, in one event', () => {
    given(...ledgerWith('BRL'))
      .when(
        createAccount({
          name: 'Till',
          alias: '@till',
          type: 'savings',
          entityId: 'E-1',
          metadata: { shift: 'early' },
        }),
      )
      .then(
        accountOpened({
          id: ID,
          name: 'Till',
          alias: '@till',
          type: 'savings',
          entityId: 'E-1',
          metadata: { shift: 'early' },
        }),
      );
  });

  it('gives its balance an id that follows from its own', () => {
    const [event] = given(...ledgerWith('BRL'))
      .when(createAccount())
      .happened();
    expect(event?.data).to.have.nested.property('balance.id', partId(ID, 1));
  });

  it('takes name and alias from its type and id when it is given none', () => {
    given(...ledgerWith('BRL'))
      .when(createAccount({ type: 'marketplace' }))
      .then(
        accountOpened({
          id: ID,
          alias: ID,
          type: 'marketplace',
          name: 'BRL marketplace account',
        }),
      );
  });

  it('opens in an asset the ledger knows', () => {
    const { details } = given(...ledgerWith('BRL'))
      .when(createAccount({ assetCode: 'USD' }))
      .thenRefused('ASSET_NOT_FOUND');
    expect(details.findings?.[0]).to.include({ location: 'assetCode', value: 'USD' });
  });

  it('compares asset codes with letter case', () => {
    given(...ledgerWith('BRL'))
      .when(createAccount({ assetCode: 'brl' }))
      .thenRefused('ASSET_NOT_FOUND');
  });

  describe('below a parent', () => {
    const twoAssets = [
      ...ledgerWith('BRL', '@parent'),
      assetCreated({ code: 'USD' }),
      externalOpened('USD'),
    ];

    it('opens when the parent holds the same asset', () => {
      const parentAccountId = accountId('@parent');
      given(...twoAssets)
        .when(createAccount({ parentAccountId }))
        .then(accountOpened({ id: ID, parentAccountId }));
    });

    it('is refused when the ledger has no such parent', () => {
      given(...twoAssets)
        .when(createAccount({ parentAccountId: NOBODY }))
        .thenRefused('PARENT_ACCOUNT_INVALID');
    });

    it('is refused when the parent holds another asset', () => {
      given(...twoAssets)
        .when(createAccount({ parentAccountId: accountId('@parent'), assetCode: 'USD' }))
        .thenRefused('PARENT_ACCOUNT_ASSET');
    });
  });

  describe('alias', () => {
    it('is refused when it is taken', () => {
      const { details } = given(...ledgerWith('BRL', '@alice'))
        .when(createAccount({ alias: '@alice' }))
        .thenRefused('ALIAS_TAKEN');
      expect(details.findings?.[0]).to.include({ location: 'alias', value: '@alice' });
    });

    it('is taken across assets', () => {
      given(...ledgerWith('BRL', '@alice'), assetCreated({ code: 'USD' }))
        .when(createAccount({ alias: '@alice', assetCode: 'USD' }))
        .thenRefused('ALIAS_TAKEN');
    });

    it('is compared with letter case', () => {
      given(...ledgerWith('BRL', '@alice'))
        .when(createAccount({ alias: '@Alice' }))
        .then(accountOpened({ id: ID, alias: '@Alice' }));
    });

    it('is refused when it is the id of an account that goes by its id', () => {
      given(...ledgerWith('BRL'))
        .after(createAccount())
        .when(createAccount({ alias: nthWhole(1) }))
        .thenRefused('ALIAS_TAKEN');
    });
  });

  describe('holder', () => {
    it('is the own one of the organization unless another is named', () => {
      given(...ledgerWith('BRL'))
        .when(createAccount({ holderId: OWN_HOLDER }))
        .then(accountOpened({ id: ID, holderId: OWN_HOLDER }));
    });

    it('is refused when nobody knows it', () => {
      const refusal = given(...ledgerWith('BRL'))
        .when(createAccount({ holderId: NOBODY }))
        .thenRefused('HOLDER_NOT_FOUND');
      expect(refusal.details.findings?.[0]).to.include({ location: 'holderId', value: NOBODY });
    });

    describe('where the ledger requires one', () => {
      const ledger = (settings: Partial<LedgerSettings> = {}) => {
        const accounting = { ...defaultSettings.accounting, requireHolder: true };
        const opened = ledgerOpened({ settings: { ...defaultSettings, accounting, ...settings } });
        return given(opened, ...ledgerWith('BRL').slice(1));
      };
      const overrides = { ...defaultSettings.overrides, allowHolderSkip: true };

      it('is asked for, and the own one of the organization is good enough', () => {
        const { details } = ledger().when(createAccount()).thenRefused('HOLDER_REQUIRED');
        expect(details.findings?.[0]).to.include({ location: 'holderId' });
        ledger()
          .when(createAccount({ holderId: OWN_HOLDER }))
          .then(accountOpened({ id: ID, holderId: OWN_HOLDER }));
        ledger()
          .when(createAccount({ holderId: NOBODY }))
          .thenRefused('HOLDER_NOT_FOUND');
      });

      it('is not asked for of the world outside', () => {
        const [event] = ledger()
          .when(createAccount({ alias: '@world', type: 'external' }))
          .happened();
        expect(event?.data).to.have.nested.property('account.holderId', null);
      });

      it('can be skipped where that is allowed, and then there is none', () => {
        ledger()
          .when(createAccount({ skipHolder: true }))
          .thenRefused('SKIP_NOT_PERMITTED');
        ledger({ overrides })
          .when(createAccount({ skipHolder: true }))
          .then(accountOpened({ id: ID, holderId: null, holderCheckSkipped: true }));
      });

      it('is not skipped by who names one, and nobody unknown passes', () => {
        ledger({ overrides })
          .when(createAccount({ skipHolder: true, holderId: OWN_HOLDER }))
          .then(accountOpened({ id: ID, holderId: OWN_HOLDER, holderCheckSkipped: false }));
        ledger({ overrides })
          .when(createAccount({ skipHolder: true, holderId: NOBODY }))
          .thenRefused('HOLDER_NOT_FOUND');
      });
    });

    it('has nothing to skip where none is required', () => {
      const overrides = { ...defaultSettings.overrides, allowHolderSkip: true };
      const opened = ledgerOpened({ settings: { ...defaultSettings, overrides } });
      given(opened, ...ledgerWith('BRL').slice(1))
        .when(createAccount({ skipHolder: true }))
        .then(accountOpened({ id: ID, holderId: OWN_HOLDER, holderCheckSkipped: false }));
    });

    it('is checked unless the ledger allows otherwise, which it does not', () => {
      given(...ledgerWith('BRL'))
        .when(createAccount({ skipHolder: true }))
        .thenRefused('SKIP_NOT_PERMITTED');
    });
  });

  describe('refused for several reasons', () => {
    const everythingWrong = {
      assetCode: 'XYZ',
      portfolioId: NOBODY,
      segmentId: NOBODY,
      parentAccountId: NOBODY,
      skipHolder: true,
      holderId: NOBODY,
      alias: '@alice',
    };
    const inOrder = [
      ['assetCode', 'ASSET_NOT_FOUND', 'BRL'],
      ['portfolioId', 'PORTFOLIO_NOT_FOUND', undefined],
      ['segmentId', 'SEGMENT_NOT_FOUND', undefined],
      ['parentAccountId', 'PARENT_ACCOUNT_INVALID', undefined],
      ['skipHolder', 'SKIP_NOT_PERMITTED', false],
      ['holderId', 'HOLDER_NOT_FOUND', undefined],
      ['alias', 'ALIAS_TAKEN', undefined],
    ] as const;

    let wrong: Parameters<typeof createAccount>[0] = everythingWrong;
    for (const [member, refusal, mended] of inOrder) {
      const fields = wrong;
      it(`names ${refusal} first while it holds`, () => {
        given(...ledgerWith('BRL', '@alice'))
          .when(createAccount(fields))
          .thenRefused(refusal);
      });
      wrong = { ...wrong, [member]: mended };
    }
  });

  it('can be created blocked, and then nothing moves it', () => {
    const ledger = [...ledgerWith('BRL', '@alice')];
    const blocked = createAccount({ alias: '@frozen', blocked: true });
    given(...ledger)
      .when(blocked)
      .then(accountOpened({ id: ID, alias: '@frozen', blocked: true }));
    given(...ledger)
      .after(blocked)
      .when(inflow('@frozen', '1'))
      .thenRefused('ACCOUNT_BLOCKED');
  });

  describe('of type external, made by hand', () => {
    const world = createAccount({ alias: '@world', type: 'external' });
    const opened = accountOpened({
      id: ID,
      alias: '@world',
      type: 'external',
      name: 'BRL external account',
      holderId: null,
    });

    it('has a debit balance and no holder', () => {
      given(...ledgerWith('BRL'))
        .when(world)
        .then(opened);
      expect(opened.data).to.have.nested.property('balance.direction', 'debit');
    });

    it('gives what it never had, as the world does', () => {
      const [event] = given(...ledgerWith('BRL', '@alice'))
        .after(world, postTransaction({ from: '@world', to: '@alice', amount: '5' }))
        .when(postTransaction({ from: '@alice', to: '@world', amount: '5' }))
        .happened();
      expect(event?.type).to.equal('TransactionPosted');
    });

    it('is owned by nobody, so that a holder is refused', () => {
      const { details } = given(...ledgerWith('BRL'))
        .when(createAccount({ alias: '@world', type: 'external', holderId: OWN_HOLDER }))
        .thenRefused('HOLDER_NOT_FOUND');
      expect(details.detail).to.contain('external account').and.not.to.contain(OWN_HOLDER);
    });
  });

  it('cannot be opened before there is an asset', () => {
    given(ledgerOpened()).when(createAccount()).thenRefused('ASSET_NOT_FOUND');
  });
});
