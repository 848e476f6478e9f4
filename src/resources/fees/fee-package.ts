import { WAIVED_SEGMENT, type FeePackageRecord } from '#src/events/fees/fee-package.ts';
import { fits } from '#src/kernel/code-points.ts';
import { FEE_KEYS } from '#src/kernel/fee-keys.ts';
import { parseUuid } from '#src/kernel/ids.ts';
import {
  flag,
  instant,
  instantOrNull,
  notBlank,
  record,
  textOrNull,
  uuid,
  uuidOrNull,
} from '#src/kernel/schema-fragments.ts';
import type { Schema, ValueReader } from '#src/kernel/schema.ts';
import { addFinding, isObject, wrongType } from '#src/kernel/value-reader.ts';
import { packageAmount } from './decimal-reader.ts';
import { changedFees, newFees } from './fees-reader.ts';
import { keptFlag, keptText } from './kept-member.ts';

const LABEL_MAX = 256;
const DESCRIPTION_MAX = 1000;
const WAIVED_MAX = 1000;
const WAIVED_TEXT_MAX = 256;
const ROUTE_MAX = 250;
const SELECTOR_MAX = 20;
const KEY_MAX = 100;
const VALUE_MAX = 2000;

const waivedReader: ValueReader = {
  read: (sent, findings) => {
    if (typeof sent !== 'string') {
      addFinding(findings, 'BODY_UNREADABLE', '', 'must be a string', sent);
      return undefined;
    }
    if (sent === '' || !fits(sent, WAIVED_TEXT_MAX)) {
      const message = `must have 1 to ${WAIVED_TEXT_MAX} characters`;
      addFinding(findings, 'MALFORMED_FIELD', '', message, sent);
      return undefined;
    }
    if (!sent.startsWith(WAIVED_SEGMENT)) return sent;
    const segment = parseUuid(sent.slice(WAIVED_SEGMENT.length));
    if (segment !== undefined) return WAIVED_SEGMENT + segment;
    const message = `must have a UUID after ${WAIVED_SEGMENT}`;
    addFinding(findings, 'FEE_SEGMENT_INVALID', '', message, sent);
    return undefined;
  },
  sent: { type: 'string', minLength: 1, maxLength: WAIVED_TEXT_MAX },
  refusals: ['FEE_SEGMENT_INVALID', 'MALFORMED_FIELD'],
};
const waivedAccounts = {
  type: ['array', 'null'],
  maxItems: WAIVED_MAX,
  items: { type: 'string', reads: waivedReader },
  description: `Aliases of accounts, and ${WAIVED_SEGMENT} followed by the id of a segment for all its accounts.`,
} as const;

/** Reads the metadata that transactions must have; an empty object selects all. */
const selectorReader: ValueReader = {
  read: (sent, findings) => {
    if (!isObject(sent)) return wrongType(sent, findings);
    const entries = Object.entries(sent);
    if (entries.length > SELECTOR_MAX) {
      const message = `must have at most ${SELECTOR_MAX} keys`;
      addFinding(findings, 'MALFORMED_FIELD', '', message);
      return undefined;
    }
    for (const [key, value] of entries) {
      if (FEE_KEYS.has(key)) {
        addFinding(findings, 'FEE_METADATA_RESERVED', key, 'is reserved for fees', value);
      } else if (typeof value !== 'string') {
        addFinding(findings, 'BODY_UNREADABLE', key, 'must be a string', value);
      } else if (!fits(key, KEY_MAX) || !fits(value, VALUE_MAX)) {
        const message = `must have at most ${KEY_MAX} characters, and its value ${VALUE_MAX}`;
        addFinding(findings, 'MALFORMED_FIELD', key, message, value);
      }
    }
    return entries.length === 0 ? undefined : sent;
  },
  sent: {
    title: 'MetadataSelector',
    type: 'object',
    maxProperties: SELECTOR_MAX,
    propertyNames: { maxLength: KEY_MAX, not: { enum: [...FEE_KEYS, '__proto__'] } },
    additionalProperties: { type: 'string', maxLength: VALUE_MAX },
  },
  refusals: ['FEE_METADATA_RESERVED', 'MALFORMED_FIELD', 'TOO_MANY_KEYS'],
};
const metadataSelector = {
  type: 'object',
  additionalProperties: { type: 'string' },
  reads: selectorReader,
} as const;

const ledgerId = { ...uuid, refusal: 'FEE_LEDGER_INVALID' } as const;
const common = {
  feeGroupLabel: notBlank(LABEL_MAX),
  description: textOrNull(DESCRIPTION_MAX),
  segmentId: { ...uuid, refusal: 'FEE_SEGMENT_INVALID' },
  transactionRoute: { type: 'string', maxLength: ROUTE_MAX, emptyIsAbsent: true, minLength: 1 },
  minimumAmount: packageAmount,
  maximumAmount: packageAmount,
  waivedAccounts,
  enable: flag,
} as const;
const required = ['feeGroupLabel', 'minimumAmount', 'maximumAmount', 'fees', 'enable'] as const;

const feesV2 = newFees(2);

/** The header form of version 1. */
const createBody = record({ ...common, ledgerId, fees: newFees(1) }, [...required, 'ledgerId']);
/** The path form of version 1: as in version 2, but the body names the ledger. */
const createBodyInOrganization = record({ ...common, ledgerId, fees: feesV2, metadataSelector }, [
  ...required,
  'ledgerId',
]);
const createBodyV2 = record({ ...common, fees: feesV2, metadataSelector }, required);

/** An empty text counts as not sent; null removes a description and the waived accounts, and nothing else. */
const changes = (version: 1 | 2) =>
  record(
    {
      feeGroupLabel: keptText(LABEL_MAX),
      description: { ...textOrNull(DESCRIPTION_MAX), emptyIsAbsent: true, minLength: 1 },
      minimumAmount: packageAmount,
      maximumAmount: packageAmount,
      waivedAccounts,
      fees: changedFees(version),
      enable: keptFlag(),
    },
    [],
  );
const updateBody = changes(1);
const updateBodyV2 = changes(2);

/** The bodies by form of the operation. */
export const packageBodies = {
  header: { create: createBody, update: updateBody },
  organization: { create: createBodyInOrganization, update: updateBodyV2 },
  ledger: { create: createBodyV2, update: updateBodyV2 },
} as const satisfies Record<string, Readonly<{ create: Schema; update: Schema }>>;

const decimalView = { type: 'string', format: 'decimal' } as const;
const feeView = {
  title: 'Fee',
  ...record(
    {
      feeLabel: { type: 'string' },
      calculationModel: record(
        {
          applicationRule: { type: 'string' },
          calculations: {
            type: 'array',
            items: record({ type: { type: 'string' }, value: decimalView }, ['type', 'value']),
          },
        },
        ['applicationRule', 'calculations'],
      ),
      referenceAmount: { type: 'string' },
      priority: { type: 'integer' },
      isDeductibleFrom: flag,
      creditAccount: { type: 'string' },
      routeFrom: { type: 'string' },
      routeTo: { type: 'string' },
      deferrable: flag,
    },
    [
      ...(['feeLabel', 'calculationModel', 'referenceAmount', 'priority'] as const),
      ...(['isDeductibleFrom', 'creditAccount'] as const),
    ],
  ),
} as const;

const packageMembers = {
  id: uuid,
  feeGroupLabel: { type: 'string' },
  description: textOrNull(DESCRIPTION_MAX),
  ledgerId: uuid,
  segmentId: uuidOrNull,
  transactionRoute: textOrNull(ROUTE_MAX),
  minimumAmount: decimalView,
  maximumAmount: decimalView,
  waivedAccounts: { type: ['array', 'null'], items: { type: 'string' } },
  enable: flag,
  fees: { type: 'object', additionalProperties: feeView },
  metadataSelector: { type: 'object', additionalProperties: { type: 'string' } },
  createdAt: instant,
  updatedAt: instant,
  deletedAt: instantOrNull,
} as const;

/** A package in responses. */
export const feePackageView = {
  title: 'FeePackage',
  links: { members: { package_id: 'id' } },
  ...record(
    packageMembers,
    (Object.keys(packageMembers) as (keyof typeof packageMembers)[]).filter(
      (member) => member !== 'metadataSelector',
    ),
  ),
} as const satisfies Schema;

/** The rows of packages; `enable` is a text there. */
export const feePackageRows = {
  name: 'FeePackage',
  view: feePackageView,
  rows: {
    parent: 'organizationId',
    keys: {
      ledgerId: (one: FeePackageRecord) => one.ledgerId,
      segmentId: (one: FeePackageRecord) => one.segmentId,
      transactionRoute: (one: FeePackageRecord) => one.transactionRoute,
      enable: (one: FeePackageRecord) => String(one.enable),
    },
    indexed: ['ledgerId'],
  },
} as const;
