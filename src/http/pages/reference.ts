import type { ExplainedRefusal } from '#src/kernel/explanation.ts';
import {
  isReference,
  nameOf,
  type DescribedOperation,
  type Description,
  type Parameter,
} from './description.ts';
import { errorLinks, type ErrorLink } from './error-links.ts';

/** The description of the API, arranged as the pages show it. */
export type ApiReference = Readonly<{
  description: Description;
  groups: readonly OperationGroup[];
  /** By operation id. */
  operations: ReadonlyMap<string, PlacedOperation>;
  /** The codes that every operation may return, which are not repeated for each. */
  commonCodes: ReadonlySet<string>;
  errorLink: ErrorLink;
}>;

export type OperationGroup = Readonly<{
  name: string;
  slug: string;
  description: string | undefined;
  operations: readonly PlacedOperation[];
}>;

export type PlacedOperation = Readonly<{
  method: string;
  path: string;
  operation: DescribedOperation;
  parameters: readonly Parameter[];
  /** `v1` or `v2`, or empty if the path names none. */
  version: string;
  /** The address of its section. */
  href: string;
}>;

export function apiReference(
  description: Description,
  refusals: readonly ExplainedRefusal[],
): ApiReference {
  const placed = placedOperations(description);
  return {
    description,
    groups: description.tags.map(({ name, description: text }) => ({
      name,
      slug: slugOf(name),
      description: text,
      operations: placed.filter(({ operation }) => operation.tags.includes(name)),
    })),
    operations: new Map(placed.map((one) => [one.operation.operationId, one])),
    commonCodes: commonCodes(description, placed),
    errorLink: errorLinks(refusals),
  };
}

/** `Account types` → `account-types`. */
export const slugOf = (name: string): string => name.toLowerCase().replaceAll(/\W+/g, '-');

/** Returns the same operation of the other version. */
export function twinOf(
  { operation: { operationId, summary } }: PlacedOperation,
  { operations }: ApiReference,
): PlacedOperation | undefined {
  const isSecond = operationId.endsWith('V2');
  const twin = operations.get(isSecond ? operationId.slice(0, -2) : `${operationId}V2`);
  return twin?.operation.summary === summary ? twin : undefined;
}

/** Returns the versions that a group has operations of. */
export const versionsOf = ({ operations }: OperationGroup): string[] => [
  ...new Set(operations.map(({ version }) => version)),
];

export const versionTitle = (version: string): string =>
  version === '' ? 'Without a version' : `Version ${version.slice(1)}`;

/** Returns the codes of a response with an error. */
export const codesOf = ({ $ref }: { $ref: string }, { components }: Description): string[] =>
  components.responses[nameOf($ref)]?.description.split(', ') ?? [];

const placedOperations = ({ paths, components }: Description): PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...{ method, path, operation },
      parameters: operation.parameters.map((one) =>
        isReference(one) ? components.parameters[nameOf(one.$ref)]! : one,
      ),
      version: /^\/(v\d+)\//.exec(path)?.[1] ?? '',
      href: `/docs/${slugOf(operation.tags[0] ?? '')}#${operation.operationId}`,
    })),
  );

function commonCodes(
  description: Description,
  operations: readonly PlacedOperation[],
): ReadonlySet<string> {
  const sets = operations.map(
    ({ operation }) =>
      new Set(
        Object.values(operation.responses)
          .filter(isReference)
          .flatMap((response) => codesOf(response, description)),
      ),
  );
  const [first = new Set<string>(), ...others] = sets;
  return others.reduce((common, codes) => common.intersection(codes), first);
}
