/** Sentences for the API description that stand once, however many schemas and operations they concern. */
export type Descriptions = Readonly<{
  /** The groups of operations, in the order in which a reader needs them. */
  tags: Glossary;
  /**
   * Members of bodies by name. Where a name has several meanings, the end of its path decides: `status.code` comes
   * before `code`. A path begins with the title of the schema, and arrays add nothing to it.
   */
  members: Glossary;
  /** Parameters of paths and queries by name. */
  parameters: Glossary;
}>;

export type Glossary = Readonly<Record<string, string>>;

/** Returns the sentence whose key is the longest end of a path. */
export function explanationOf(glossary: Glossary, path: readonly string[]): string | undefined {
  const ends = path.map((_, from) => path.slice(from).join('.'));
  return ends.map((end) => glossary[end]).find((text) => text !== undefined);
}

/** Describes members of several schemas alike, and of no others. */
export const membersOf = (titles: readonly string[], members: Glossary): Glossary =>
  Object.fromEntries(
    titles.flatMap((title) =>
      Object.entries(members).map(([member, sentence]) => [`${title}.${member}`, sentence]),
    ),
  );

/** Joins the sentences of all components with those of one, which come first where both have some. */
export const joined = (shared: Descriptions, own: Descriptions): Descriptions => ({
  tags: { ...shared.tags, ...own.tags },
  members: { ...shared.members, ...own.members },
  parameters: { ...shared.parameters, ...own.parameters },
});

export const NO_DESCRIPTIONS: Descriptions = { tags: {}, members: {}, parameters: {} };
