import type { Finding } from '#src/kernel/errors.ts';

/** What a refusal means to whoever receives it, and a sample of what its document says. */
export type Explanation = Readonly<{
  /** One or two sentences: when it is given, and what to do about it. */
  means: string;
  /** `detail` of the sample document, in the words the program uses. */
  detail: string;
  /** `errors` of the sample document. */
  errors?: readonly Finding[];
  /** When the sample is about something particular. */
  entityType?: string;
}>;
