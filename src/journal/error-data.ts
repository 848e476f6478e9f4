import { Refusal, type RefusalDetails } from '#src/kernel/errors.ts';
import { Ambiguous, Damaged, DerivedDamaged, Unavailable } from '#src/ports/errors.ts';

/** An error of a command, as data: classes do not cross processes. */
export type ErrorData = Readonly<{
  name: string;
  message: string;
  refused?: Readonly<{ refusal: string; details: RefusalDetails }>;
  /** The stack of a defect, for the log of the process that serves the request. */
  stack?: string | undefined;
}>;

export function toErrorData(error: unknown): ErrorData {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, stack } = error;
  if (error instanceof Refusal) {
    const { refusal, details } = error;
    return { name, message, refused: { refusal, details } };
  }
  return name in FAULTS ? { name, message } : { name, message, stack };
}

export function fromErrorData({ name, message, refused, stack }: ErrorData): Error {
  if (refused !== undefined) return new Refusal(refused.refusal, refused.details);
  const Fault = FAULTS[name as keyof typeof FAULTS] as typeof Unavailable | undefined;
  if (Fault !== undefined) return new Fault(message);
  const defect = new Error(message);
  if (stack !== undefined) defect.stack = stack;
  return defect;
}

const FAULTS = { Ambiguous, Damaged, DerivedDamaged, Unavailable } as const;
