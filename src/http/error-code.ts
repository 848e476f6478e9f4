import { refusals, type RefusalName } from '#src/kernel/errors.ts';

/** `LDG-0018` as the specification has it, or `0018` for clients that map the numbers of older servers. */
export type ErrorCodeStyle = (typeof ERROR_CODE_STYLES)[number];
export const ERROR_CODE_STYLES = ['prefixed', 'bare'] as const;

/** The code of a refusal as problem documents carry it. Codes of other components keep their prefix in either style. */
export const codeOf = (name: RefusalName, style: ErrorCodeStyle = 'prefixed'): string =>
  style === 'bare' ? legacyCodeOf(name) : refusals[name].code;

export const legacyCodeOf = (name: RefusalName): string => refusals[name].code.replace(/^LDG-/, '');
