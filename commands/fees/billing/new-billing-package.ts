import type {
  BillingPackageFields,
  MaintenancePackageFields,
  VolumePackageFields,
} from '#src/events/fees/billing-package.ts';
import { refuseAny, type Refusal, type RefusalName } from '#src/kernel/errors.ts';

type VolumeMembers = Omit<VolumePackageFields, keyof MaintenancePackageFields>;
type MaintenanceMembers = Omit<MaintenancePackageFields, keyof VolumePackageFields>;

/** A new package as it is sent: the members of each type are optional. */
export type SentBillingPackage = Omit<
  Pick<BillingPackageFields, keyof VolumePackageFields & keyof MaintenancePackageFields>,
  'organizationId' | 'ledgerId'
> &
  Partial<VolumeMembers> &
  Partial<MaintenanceMembers>;

/** The members of one type, and whether a package of the type must have them. */
const VOLUME = {
  eventFilter: true,
  pricingModel: true,
  tiers: true,
  freeQuota: false,
  discountTiers: false,
  countMode: false,
  debitAccountAlias: true,
  creditAccountAlias: true,
} as const satisfies Record<keyof VolumeMembers, boolean>;
const MAINTENANCE = {
  feeAmount: true,
  maintenanceCreditAccount: true,
  accountTarget: true,
} as const satisfies Record<keyof MaintenanceMembers, boolean>;

/**
 * Returns the fields of a new package with the members of its type only. Errors: UNEXPECTED_FIELDS for those of the other
 * type, BILLING_VOLUME_INCOMPLETE, BILLING_MAINTENANCE_INCOMPLETE.
 */
export function newBillingPackage(
  parents: Pick<BillingPackageFields, 'organizationId' | 'ledgerId'>,
  sent: SentBillingPackage,
): BillingPackageFields {
  const { label, description, type, enable, assetCode } = sent;
  const [own, others] = type === 'volume' ? [VOLUME, MAINTENANCE] : [MAINTENANCE, VOLUME];
  const given = (member: string) => (sent as Readonly<Record<string, unknown>>)[member];
  const strange = Object.keys(others).filter((member) => given(member) !== undefined);
  if (strange.length > 0) {
    const message = `is not a field of type ${type}`;
    throw wrong('UNEXPECTED_FIELDS', strange, message, given);
  }
  const missing = Object.entries(own).filter(
    ([member, isRequired]) => isRequired && given(member) === undefined,
  );
  if (missing.length > 0) {
    const name = type === 'volume' ? 'BILLING_VOLUME_INCOMPLETE' : 'BILLING_MAINTENANCE_INCOMPLETE';
    throw wrong(
      name,
      missing.map(([member]) => member),
      `is required for type ${type}`,
    );
  }
  const members = Object.keys(own).filter((member) => given(member) !== undefined);
  const isCounted = type === 'volume' && sent.countMode === undefined;
  return {
    ...parents,
    label,
    ...(typeof description === 'string' && { description }),
    type,
    enable,
    assetCode,
    ...Object.fromEntries(members.map((member) => [member, given(member)])),
    ...(isCounted && { countMode: 'perRoute' }),
  } as BillingPackageFields;
}

const wrong = (
  name: RefusalName,
  members: readonly string[],
  message: string,
  given: (member: string) => unknown = () => undefined,
): Refusal =>
  refuseAny(name, `${members.join(', ')} ${message}.`, {
    findings: members.map((location) => {
      const value = given(location);
      return { location, message, ...(value !== undefined && { value }) };
    }),
  });
