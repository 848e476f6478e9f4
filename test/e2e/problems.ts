import { expect } from 'chai';
import { catalog } from '#src/bootstrap/refusals.ts';
import { declaredRoutes } from '#src/bootstrap/routes.ts';
import { legacyCodeOf, refusalIn } from '#src/http/error-code.ts';
import type { ExplainedRefusal } from '#src/kernel/explanation.ts';
import type { Answer } from '#test/support/client.ts';
import { mediaType } from './books.ts';

export type Problem = Readonly<{
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  message: string;
  legacyCode: string;
  errors?: readonly Readonly<{ location: string; message: string; value?: unknown }>[];
  entityType?: string;
  fields?: Readonly<Record<string, string>>;
}>;

/** What a test says beside status and code; each is checked only when said. */
export type Said = Readonly<{
  /** All of them, in any order. */
  locations?: readonly string[];
  /** Null: there must be none. */
  entityType?: string | null;
}>;

/** Checks an error answer, member by member (contract ledger §1.8), whatever the test is about. */
export function expectProblem(
  answer: Answer,
  status: number,
  code: string,
  { locations, entityType }: Said = {},
): Problem {
  const what = `${answer.status} ${answer.text.slice(0, 600)}`;
  expect(answer.status, what).to.equal(status);
  expect(mediaType(answer), what).to.equal('application/problem+json');
  const problem = answer.json() as Problem;
  expect(problem.code, what).to.equal(code);
  expect(Object.keys(problem)).to.have.members(
    [...MEMBERS, ...OPTIONAL.filter((name) => name in problem)],
    what,
  );
  expect(problem.type).to.equal('about:blank');
  const known = refusalsWith(code);
  expect(problem.title, what).to.be.oneOf(known.map(({ title }) => title));
  expect(problem.status).to.equal(status);
  expect(problem.detail).to.be.a('string').that.matches(/\S/);
  expect(problem.instance).to.match(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(problem.message).to.equal(problem.detail);
  expect(problem.legacyCode, what).to.be.oneOf(known.map(legacyCodeOf));
  checkFindings(problem, what);
  checkEntityType(problem, what);
  if (locations !== undefined) {
    expect(problem.errors?.map(({ location }) => location) ?? [], what).to.have.members(locations);
  }
  if (entityType !== undefined) expect(problem.entityType ?? null, what).to.equal(entityType);
  expect(answer.headers['x-request-id'], 'X-Request-Id').to.be.a('string').that.matches(/\S/);
  if (status === 503 || status === 429) {
    expect(answer.headers['retry-after']).to.match(/^[1-9]\d*$/);
  }
  return problem;
}

function checkFindings({ code, errors, fields }: Problem, what: string): void {
  if (errors !== undefined) {
    expect(errors, what).to.be.an('array').that.is.not.empty;
    for (const finding of errors) {
      expect(finding.location, what).to.be.a('string');
      expect(finding.message, what).to.be.a('string').that.matches(/\S/);
      expect(['location', 'message', 'value']).to.include.members(Object.keys(finding));
    }
  }
  if (!WITH_FIELDS.includes(code)) return;
  const facts = Object.fromEntries(
    (errors ?? []).map(({ location, message }) => [location, message]),
  );
  expect(fields ?? {}, what).to.deep.equal(facts);
}

/** The kind of resource is left out of generic codes and on route errors; a body that cannot be read is a `request`. */
function checkEntityType({ code, entityType, errors }: Problem, what: string): void {
  if (OF_REQUEST.includes(code) && errors === undefined) {
    expect(entityType, what).to.equal('request');
  } else if (GENERIC.includes(code)) {
    expect(entityType, what).to.equal(undefined);
  } else if (OF_VALIDATION.includes(code)) {
    expect(entityType, what).to.be.a('string').that.matches(/\S/);
  }
}

/** The refusals with a code, which may be one that a component or an operation assigns to those of others. */
const refusalsWith = (code: string): readonly ExplainedRefusal[] =>
  [...Object.values(catalog), ...assigned].filter((refusal) => refusal.code === code);

const assigned = declaredRoutes.flatMap((route) =>
  Object.keys(route.codes ?? {}).map((name) => refusalIn(name, route)),
);

const MEMBERS = [
  'type',
  'title',
  'status',
  'detail',
  'instance',
  'code',
  'message',
  'legacyCode',
] as const;
const OPTIONAL = ['errors', 'entityType', 'fields', 'upstream'] as const;
const WITH_FIELDS = ['LDG-0009', 'LDG-0047', 'LDG-0053'];
const OF_REQUEST = ['LDG-0144', 'LDG-0145'];
/** Contract ledger §1.8; a request for another host or from a page of another origin is refused before its route is known. */
export const GENERIC: readonly string[] = [
  ...['LDG-0009', 'LDG-0047', 'LDG-0053', 'LDG-0065', 'LDG-0082', 'LDG-0094'],
  ...['LDG-0484', 'LDG-0485', 'LDG-0540', 'LDG-0541'],
];
const OF_VALIDATION = [
  ...['LDG-0078', 'LDG-0080', 'LDG-0081', 'LDG-0083', 'LDG-0131', 'LDG-0142'],
  ...['LDG-0004', 'LDG-0032', 'LDG-0033', 'LDG-0040', 'LDG-0067', 'LDG-0172'],
];
