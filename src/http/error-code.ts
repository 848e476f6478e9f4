import { platformRefusals, type RefusalFacts, type RefusalName } from '#src/kernel/errors.ts';
import type { ExplainedRefusal, RefusalCatalog } from '#src/kernel/explanation.ts';
import { platformCatalog } from '#src/kernel/platform-catalog.ts';

/**
 * The style of codes: `LDG-0018` as in the specification, or `0018` for clients that map the numbers of older servers.
 */
export type ErrorCodeStyle = (typeof ERROR_CODE_STYLES)[number];
export const ERROR_CODE_STYLES = ['prefixed', 'bare'] as const;

/**
 * Returns the code of a refusal as problem documents carry it. Codes of other components keep their prefix in either
 * style.
 */
export const codeIn = (
  { code }: Pick<ExplainedRefusal, 'code'>,
  style: ErrorCodeStyle = 'prefixed',
): string => (style === 'bare' ? bare(code) : code);

export const legacyCodeOf = ({
  code,
  legacyCode = bare(code),
}: Pick<ExplainedRefusal, 'code' | 'legacyCode'>): string => legacyCode;

const bare = (code: string): string =>
  code.startsWith(PLATFORM_PREFIX) ? code.slice(PLATFORM_PREFIX.length) : code;

/** Older servers number only the codes with the platform's prefix. */
const PLATFORM_PREFIX = platformRefusals.INTERNAL.code.replace(/\d+$/, '');

/**
 * Returns the catalog code for a code in any letter case; a bare number, the `legacyCode` of documents, is the
 * platform's.
 */
export function catalogCodeOf(text: string): string {
  const upper = text.trim().toUpperCase();
  return /^\d+$/.test(upper) ? PLATFORM_PREFIX + upper : upper;
}

/** All declared refusals, and the codes that an operation's component assigns to some of them. */
export type RefusalCodes = Readonly<{
  catalog?: RefusalCatalog | undefined;
  codes?: ComponentCodes | undefined;
}>;

/** The codes that a component assigns to refusals of others, or to its own where clients know them by another code or status. */
export type ComponentCodes = Readonly<Record<RefusalName, ComponentCode>>;
type ComponentCode = string | Readonly<Partial<Pick<RefusalFacts, 'code' | 'legacyCode' | 'kind'>>>;

/** Returns a refusal with the code of the operation's component. Throws when no component declares it. */
export function refusalIn(
  name: RefusalName,
  { catalog = platformCatalog, codes }: RefusalCodes,
): ExplainedRefusal {
  const declared = catalog[name];
  if (declared === undefined) throw new Error(`No component declares the refusal ${name}`);
  const own = codes?.[name];
  if (own === undefined) return declared;
  return typeof own === 'string'
    ? { ...declared, code: own, legacyCode: legacyCodeOf(declared) }
    : { ...declared, ...own };
}

/** Returns every declared refusal; all operations of a program have the same catalog. */
export const catalogOf = ([first]: readonly RefusalCodes[]): RefusalCatalog =>
  first?.catalog ?? platformCatalog;
