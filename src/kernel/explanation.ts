import type { Finding, RefusalFacts, RefusalName } from './errors.ts';

/** Explains a refusal to the person who receives it. */
export type Explanation = Meaning & RefusalSample;

type Meaning = Readonly<{
  /** One or two sentences: when it is given, and what to do about it. */
  means: string;
  /** A rule that JSON Schema cannot state, so that a request may fit its schema and be refused; a sentence without its end. */
  beyondSchema?: string;
}>;

/** The members of a sample document that depend on the request; `entityType` where it is not that of the operation. */
export type RefusalSample = Readonly<{
  detail: string;
  errors?: readonly Finding[];
  entityType?: string;
}>;

/** Explanations by refusal; those without a sample of their own are shown with one that a test has captured. */
export type Explanations<Name extends RefusalName> = Readonly<Record<Name, Wording>>;
type Wording = string | (Meaning & Partial<RefusalSample>);

/** Refusals with all that their documents and pages say, by name. */
export type RefusalCatalog = Readonly<Record<RefusalName, ExplainedRefusal>>;
export type ExplainedRefusal = RefusalFacts & Explanation;

/** Joins a table of refusals with their explanations. Until a sample is captured, the explanation stands in for it. */
export const explained = <Name extends RefusalName>(
  facts: Readonly<Record<Name, RefusalFacts>>,
  explanations: Explanations<Name>,
  captured: Readonly<Record<string, RefusalSample>> = {},
): RefusalCatalog =>
  Object.fromEntries(
    (Object.keys(facts) as Name[]).map((name) => {
      const given: Wording = explanations[name];
      const about = typeof given === 'string' ? { means: given } : given;
      return [name, { ...facts[name], detail: about.means, ...captured[name], ...about }];
    }),
  );
