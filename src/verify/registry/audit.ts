import { differ } from '#src/verify/difference.ts';
import { createAuditRules, type AuditRules } from '#src/verify/rules.ts';

/**
 * The rules of the registry of an organization, which moves no money: each record is created once, by an id that was not
 * revoked, everything about its person is sealed, and the certificate of its erasure states what the journal says. An
 * account has one live instrument, and no instrument outlives its holder.
 */
function createRegistryRules(): AuditRules {
  let own = '';
  const holders = new Map<string, Standing>();
  const instruments = new Map<string, AuditedLink & Readonly<{ is: Standing }>>();
  const accounts = new Map<string, string>();
  const createdAt = new Map<string, number>();
  const certificateOf = new Map<string, string>();
  const revoked = new Set<string>();

  const mine = (organizationId: string): void => {
    if (organizationId !== own) differ(`it is about organization ${organizationId}`);
  };
  const moved = (id: string, from: readonly Standing[], to: Standing) => {
    const is = holders.get(id);
    if (is === undefined || !from.includes(is)) differ(`holder ${id} is ${is ?? 'absent'}`);
    holders.set(id, to);
  };
  const checked = ({ holder }: RegistryData): AuditedHolder => {
    mine(holder.organizationId);
    const plain = Object.keys(holder).filter((member) => !PLAIN.has(member));
    if (plain.length > 0) differ(`holder ${holder.id} has ${plain.join(', ')} in plain text`);
    return holder;
  };

  const certified = (
    entityType: 'Holder' | 'Instrument',
    id: string,
    certificate: Partial<AuditedCertificate> | undefined,
  ) => {
    const expected: AuditedCertificate = {
      id: certificateOf.get(id) ?? '',
      organizationId: own,
      entityType,
      entityId: id,
      keyId: id,
      firstRevision: createdAt.get(id) ?? -1,
    };
    for (const [member, value] of Object.entries(expected)) {
      const stated = certificate?.[member as keyof AuditedCertificate];
      if (stated !== value) {
        differ(`the certificate states ${member} ${String(stated)}, not ${String(value)}`);
      }
    }
  };
  const linked = ({ instrument }: RegistryData): AuditedInstrument => {
    mine(instrument.organizationId);
    const parties = instrument.relatedParties ?? [];
    const plain = [
      ...Object.keys(instrument).filter((member) => !PLAIN_IN_INSTRUMENT.has(member)),
      ...Object.keys(instrument.bankingDetails ?? {}).filter(
        (member) => !PLAIN_BANKING.has(member),
      ),
      ...parties.flatMap((party) => Object.keys(party).filter((name) => !PLAIN_PARTY.has(name))),
    ];
    if (plain.length > 0)
      differ(`instrument ${instrument.id} has ${plain.join(', ')} in plain text`);
    return instrument;
  };
  const movedLink = (id: string, from: readonly Standing[], to: Standing): void => {
    const known = instruments.get(id);
    if (known === undefined || !from.includes(known.is)) {
      differ(`instrument ${id} is ${known?.is ?? 'absent'}`);
      return;
    }
    instruments.set(id, { ...known, is: to });
    if (to !== 'live' && accounts.get(known.accountId) === id) accounts.delete(known.accountId);
  };
  const sameLink = (instrument: AuditedInstrument): void => {
    const known = instruments.get(instrument.id);
    const { holderId, accountId } = instrument;
    if (known?.holderId === holderId && known.accountId === accountId) return;
    differ(`instrument ${instrument.id} is of another holder or account`);
  };
  const mustHaveNone = (holderId: string, standings: readonly Standing[]): void => {
    for (const [id, known] of instruments) {
      if (known.holderId !== holderId || !standings.includes(known.is)) continue;
      differ(`instrument ${id} of holder ${holderId} is ${known.is}`);
    }
  };

  return createAuditRules<RegistryData>(
    'registry',
    ({ encryption, audit, organizationId }) =>
      (own = encryption?.organizationId ?? audit?.organizationId ?? organizationId ?? ''),
    {
      EncryptionProvisioned: ({ encryption }) => {
        mine(encryption?.organizationId ?? '');
      },
      EncryptionProvisioningAudited: ({ audit }) => {
        mine(audit?.organizationId ?? '');
      },
      HolderCreated: (data, revision) => {
        const { id } = checked(data);
        if (holders.has(id)) differ(`holder ${id} exists already`);
        if (instruments.has(id)) differ(`${id} is an instrument`);
        if (revoked.has(id)) differ(`holder ${id} was revoked`);
        holders.set(id, 'live');
        createdAt.set(id, revision);
      },
      HolderUpdated: (data) => {
        const { id } = checked(data);
        const is = holders.get(id);
        if (is !== 'live' && is !== 'closing') differ(`there is no holder ${id}`);
      },
      HolderClosingBegun: ({ closing }) => {
        mine(closing?.organizationId ?? '');
        moved(closing?.holderId ?? '', ['live'], 'closing');
      },
      HolderClosingUndone: ({ organizationId, holderId = '' }) => {
        mine(organizationId ?? '');
        moved(holderId, ['closing'], 'live');
      },
      HolderDeleted: (data) => {
        const { id } = checked(data);
        mustHaveNone(id, ['live']);
        moved(id, ENDED_FROM, 'deleted');
      },
      HolderRevoked: ({ organizationId, holderId = '' }) => {
        mine(organizationId ?? '');
        const is = holders.get(holderId) ?? 'erased';
        if (is !== 'erased') differ(`holder ${holderId} is ${is}`);
        const linkIs = instruments.get(holderId)?.is ?? 'erased';
        if (linkIs !== 'erased') differ(`instrument ${holderId} is ${linkIs}`);
        revoked.add(holderId);
      },
      HolderErasureBegun: ({ erasure }) => {
        mine(erasure?.organizationId ?? '');
        mustHaveNone(erasure?.holderId ?? '', ['live']);
        moved(erasure?.holderId ?? '', [...ENDED_FROM, 'deleted'], 'erasing');
        certificateOf.set(erasure?.holderId ?? '', erasure?.certificateId ?? '');
      },
      HolderErased: ({ holder, certificate }) => {
        mine(holder.organizationId);
        mustHaveNone(holder.id, ['live', 'deleted', 'erasing']);
        moved(holder.id, ['erasing'], 'erased');
        certified('Holder', holder.id, certificate);
      },
      InstrumentCreated: (data, revision) => {
        const { id, holderId, accountId } = linked(data);
        if (instruments.has(id) || holders.has(id)) differ(`instrument ${id} exists already`);
        if (revoked.has(id)) differ(`instrument ${id} was revoked`);
        const holderIs = holders.get(holderId);
        // The organization's own holder has no event.
        if (holderIs !== undefined && holderIs !== 'live')
          differ(`holder ${holderId} is ${holderIs}`);
        if (accounts.has(accountId)) differ(`account ${accountId} has an instrument already`);
        instruments.set(id, { holderId, accountId, is: 'live' });
        createdAt.set(id, revision);
        accounts.set(accountId, id);
      },
      InstrumentUpdated: (data) => {
        const instrument = linked(data);
        movedLink(instrument.id, ['live'], 'live');
        sameLink(instrument);
      },
      RelatedPartyDeleted: (data) => {
        const instrument = linked(data);
        movedLink(instrument.id, ['live'], 'live');
        sameLink(instrument);
        const left = instrument.relatedParties?.find(({ id }) => id === data.relatedPartyId);
        if (left !== undefined) differ(`related party ${left.id} is still there`);
      },
      InstrumentDeleted: (data) => {
        const instrument = linked(data);
        sameLink(instrument);
        movedLink(instrument.id, ['live'], 'deleted');
      },
      InstrumentErasureBegun: ({ erasure }) => {
        mine(erasure?.organizationId ?? '');
        movedLink(erasure?.instrumentId ?? '', ['live', 'deleted'], 'erasing');
        certificateOf.set(erasure?.instrumentId ?? '', erasure?.certificateId ?? '');
      },
      InstrumentErased: ({ instrument, certificate }) => {
        mine(instrument.organizationId);
        movedLink(instrument.id, ['erasing'], 'erased');
        certified('Instrument', instrument.id, certificate);
      },
    },
  );
}

/** Earlier releases deleted and erased holders without closing them first. */
const ENDED_FROM: readonly Standing[] = ['live', 'closing'];

type Standing = 'live' | 'closing' | 'deleted' | 'erasing' | 'erased';
type AuditedLink = Readonly<{ holderId: string; accountId: string }>;
type AuditedInstrument = AuditedHolder &
  AuditedLink &
  Readonly<{
    bankingDetails?: object;
    relatedParties?: readonly Readonly<{ id: string }>[];
  }>;
type AuditedHolder = Readonly<{ id: string; organizationId: string }>;
type InRegistry = Readonly<{ organizationId: string }>;
type AuditedCertificate = InRegistry &
  Readonly<{
    id: string;
    entityType: string;
    entityId: string;
    keyId: string;
    firstRevision: number;
  }>;
type RegistryData = Readonly<{
  holder: AuditedHolder;
  instrument: AuditedInstrument;
  encryption?: InRegistry;
  audit?: InRegistry;
  closing?: InRegistry & Readonly<{ holderId: string }>;
  erasure?: InRegistry &
    Readonly<{ holderId: string; instrumentId?: string; certificateId: string }>;
  certificate?: AuditedCertificate;
  organizationId?: string;
  holderId?: string;
  relatedPartyId?: string;
}>;

const PLAIN: ReadonlySet<string> = new Set([
  ...['id', 'organizationId', 'externalId', 'type', 'sealed', 'metadata'],
  ...['createdAt', 'updatedAt', 'deletedAt'],
]);

const PLAIN_IN_INSTRUMENT: ReadonlySet<string> = new Set([
  ...['id', 'organizationId', 'holderId', 'ledgerId', 'accountId', 'type', 'sealed'],
  ...['bankingDetails', 'relatedParties', 'metadata', 'createdAt', 'updatedAt', 'deletedAt'],
]);
const PLAIN_BANKING: ReadonlySet<string> = new Set([
  ...['branch', 'type', 'openingDate', 'closingDate', 'countryCode', 'bankId'],
]);
const PLAIN_PARTY: ReadonlySet<string> = new Set([
  ...['id', 'sealed', 'role', 'startDate', 'endDate'],
]);

export const audit = {
  EncryptionProvisioned: createRegistryRules,
  EncryptionProvisioningAudited: createRegistryRules,
  HolderRevoked: createRegistryRules,
};
