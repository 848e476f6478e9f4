import { fits } from '#src/kernel/code-points.ts';
import { addFinding } from '#src/kernel/value-reader.ts';
import type { ValueReader } from '#src/kernel/schema.ts';

const LENGTH_MIN = 12;
const LENGTH_MAX = 255;

/** A rule that a password breaks, as the end of a sentence; `isShort` has a code of its own. */
export type PasswordFault = Readonly<{ message: string; isShort?: true }>;

/** Returns the first rule of contract access §9 that a password breaks; undefined if it breaks none. */
export function passwordFault(
  password: string,
  { username, email }: Readonly<{ username: string; email: string }>,
): PasswordFault | undefined {
  const fault = textFault(password);
  if (fault !== undefined) return fault;
  const lower = password.toLowerCase();
  const [emailName = ''] = email.toLowerCase().split('@');
  if (lower.includes(username.toLowerCase())) return { message: 'must not contain the username' };
  if (emailName !== '' && lower.includes(emailName)) {
    return { message: 'must not contain the name in the email address' };
  }
  return undefined;
}

function textFault(password: string): PasswordFault | undefined {
  if (fits(password, LENGTH_MIN - 1)) {
    return { message: `must have at least ${LENGTH_MIN} characters`, isShort: true };
  }
  if (!fits(password, LENGTH_MAX)) {
    return { message: `must have at most ${LENGTH_MAX} characters` };
  }
  for (const [pattern, what] of NEEDED) {
    if (!pattern.test(password)) return { message: `must contain ${what}` };
  }
  return /(.)\1\1/su.test(password)
    ? { message: 'must not contain three equal characters in a row' }
    : undefined;
}

export const refusalOf = ({ isShort }: PasswordFault) =>
  isShort ? 'PASSWORD_TOO_SHORT' : 'PASSWORD_TOO_WEAK';

const NEEDED = [
  [/[A-Z]/, 'an upper-case letter', '^[^A-Z]*$'],
  [/[a-z]/, 'a lower-case letter', '^[^a-z]*$'],
  [/[0-9]/, 'a digit', '^[^0-9]*$'],
  [/[^A-Za-z0-9]/, 'a special character', '^[A-Za-z0-9]*$'],
] as const;

/** Checks what a password alone must fulfill; its findings never repeat it. */
const reader: ValueReader = {
  read(sent, findings) {
    if (typeof sent !== 'string') {
      addFinding(findings, 'BODY_UNREADABLE', '', 'must be a string');
      return sent;
    }
    const fault = textFault(sent);
    if (fault !== undefined) addFinding(findings, refusalOf(fault), '', fault.message);
    return sent;
  },
  sent: {
    type: 'string',
    minLength: LENGTH_MIN,
    maxLength: LENGTH_MAX,
    not: { anyOf: NEEDED.map(([, , lacking]) => ({ pattern: lacking })) },
    description:
      'It must not have three equal characters in a row, nor contain the username or the name in the email address.',
  },
  refusals: ['PASSWORD_TOO_SHORT', 'PASSWORD_TOO_WEAK'],
};

export const newPassword = { type: 'string', reads: reader } as const;
