import type { Finding, RefusalFacts, RefusalName } from './errors.ts';

/** Explains a refusal to those who receive it, with a sample of its document. */
export type Explanation = Readonly<{
  /** One or two sentences: when it is given, and what to do about it. */
  means: string;
  /** `detail` of the sample document, in the words the program uses. */
  detail: string;
  /** `errors` of the sample document. */
  errors?: readonly Finding[];
  /** A rule that JSON Schema cannot state, so that a request may fit its schema and be refused; a sentence without its end. */
  beyondSchema?: string;
  /** When the sample is about something particular. */
  entityType?: string;
}>;

/** Refusals, by name, with the contents of their documents and pages. */
export type RefusalCatalog = Readonly<Record<RefusalName, ExplainedRefusal>>;
export type ExplainedRefusal = RefusalFacts &
  Explanation &
  Readonly<{
    /** The number that clients of older servers know, where it is not that of the code. */
    legacyCode?: string;
  }>;

/** Joins a table of refusals with the table that explains them. */
export const explained = <Name extends RefusalName>(
  facts: Readonly<Record<Name, RefusalFacts>>,
  explanations: Readonly<Record<Name, Explanation>>,
): RefusalCatalog =>
  Object.fromEntries(
    (Object.keys(facts) as Name[]).map((name) => [name, { ...facts[name], ...explanations[name] }]),
  );
