import type { RefusalName } from '#src/kernel/errors.ts';
import type { ExplainedRefusal, RefusalCatalog } from '#src/kernel/explanation.ts';
import { platformCatalog } from '#src/kernel/platform-catalog.ts';

/** `LDG-0018` as the specification has it, or `0018` for clients that map the numbers of older servers. */
export type ErrorCodeStyle = (typeof ERROR_CODE_STYLES)[number];
export const ERROR_CODE_STYLES = ['prefixed', 'bare'] as const;

/** The code of a refusal as problem documents carry it. Codes of other components keep their prefix in either style. */
export const codeIn = (
  { code }: Pick<ExplainedRefusal, 'code'>,
  style: ErrorCodeStyle = 'prefixed',
): string => (style === 'bare' ? bare(code) : code);

export const legacyCodeOf = ({
  code,
  legacyCode = bare(code),
}: Pick<ExplainedRefusal, 'code' | 'legacyCode'>): string => legacyCode;

const bare = (code: string): string => code.replace(/^LDG-/, '');

/** What the component of an operation says of a refusal. Throws when no component declares it. */
export function refusalIn(
  name: RefusalName,
  catalog: RefusalCatalog = platformCatalog,
): ExplainedRefusal {
  const found = catalog[name];
  if (found === undefined) throw new Error(`No component declares the refusal ${name}`);
  return found;
}

/** Every refusal that these operations may give. */
export function catalogOf(
  routes: readonly Readonly<{ catalog?: RefusalCatalog }>[],
): RefusalCatalog {
  const catalogs = new Set(routes.map(({ catalog = platformCatalog }) => catalog));
  return Object.fromEntries([platformCatalog, ...catalogs].flatMap((one) => Object.entries(one)));
}
