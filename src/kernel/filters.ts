import type { RefusalName } from './errors.ts';
import type { Uuid } from './ids.ts';
import type { Instant } from './instant.ts';
import type { PublishedSchema } from './schema.ts';

/** A query parameter beyond those of every list. It arrives as text and is converted. */
export type Filter = Readonly<{
  type: 'string' | 'boolean' | 'integer';
  /** `instant`: a date or a date-time. `moment`: no date alone. `date-time`: RFC 3339 alone. They arrive as Instant. */
  format?: 'uuid' | 'instant' | 'moment' | 'date-time';
  enum?: readonly string[];
  /** Letter case is ignored; the handler receives the value in the spelling of `enum`. */
  anyCase?: true;
  minimum?: number;
  /** A request without it is refused with 400 LDG-0142. */
  required?: true;
  /** The code of a malformed value, instead of LDG-0082. */
  refusal?: RefusalName;
  description?: string;
  /** The schema in the API description, if code checks more than the members above. */
  published?: PublishedSchema;
}>;

export type Filters = Readonly<Record<string, Filter>>;

/** The values that a handler receives; undefined for those that were not sent. */
export type Filtered<F extends Filters> = Readonly<{
  [Name in keyof F]: Value<F[Name]> | (F[Name] extends { required: true } ? never : undefined);
}>;

type Value<F extends Filter> = F extends { enum: readonly (infer Word)[] }
  ? Word
  : F extends { format: 'uuid' }
    ? Uuid
    : F extends { format: 'instant' | 'moment' | 'date-time' }
      ? Instant
      : F extends { type: 'boolean' }
        ? boolean
        : F extends { type: 'integer' }
          ? number
          : string;
