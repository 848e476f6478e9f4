import type { PublishedSchema, Schema } from '#src/kernel/schema.ts';
import { requestSchema } from './request-schema.ts';
import { changedParts } from './schema-parts.ts';

/** Translates schemas to OpenAPI; one with a title is described once and referenced. */
export class Components {
  readonly schemas: Record<string, object> = {};
  readonly responses: Record<string, object> = {};
  private readonly problems = new Map<string, string>();
  private readonly titled = new Map<string, PublishedSchema>();

  /** Describes what a client may send as the body of a request. */
  input(schema: Schema): object {
    return this.named(requestSchema(schema));
  }

  output(schema: Schema): object {
    return this.named(schema);
  }

  /**
   * Describes the problem documents of one status; operations with the same codes share a description. A reply to HEAD
   * has no body, so `bodiless` leaves the document out.
   */
  problem(
    status: number | 'default',
    codes: readonly string[],
    { bodiless }: Readonly<{ bodiless: boolean }>,
  ): object {
    const prefix = bodiless ? 'BodilessProblem' : 'Problem';
    const key = `${prefix}${status} ${codes.join(' ')}`;
    let name = this.problems.get(key);
    if (name === undefined) {
      const others = [...this.problems.keys()].filter((other) =>
        other.startsWith(`${prefix}${status} `),
      );
      name = `${prefix}${status}${others.length === 0 ? '' : `-${others.length + 1}`}`;
      this.problems.set(key, name);
      const one = { $ref: '#/components/schemas/Problem' };
      const schema = { allOf: [one, { properties: { code: { enum: codes } } }] };
      const content = { 'application/problem+json': { schema } };
      this.responses[name] = { description: codes.join(', '), ...(!bodiless && { content }) };
    }
    return { $ref: `#/components/responses/${name}` };
  }

  /** Describes a schema; one with a title by reference. Errors: two different schemas with one title. */
  private named(schema: PublishedSchema): object {
    const { title } = schema;
    if (title === undefined) return this.described(schema);
    const other = this.titled.get(title);
    if (other === undefined) {
      this.titled.set(title, schema);
      this.schemas[title] = this.described(schema);
    } else if (other !== schema) {
      throw new Error(`Two schemas are titled ${title}`);
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  private described(schema: PublishedSchema): object {
    const {
      published,
      refusal,
      wrongType,
      must,
      neverNull,
      confidential,
      emptyIsAbsent,
      zeroIsAbsent,
      reads,
      ...plain
    } = schema;
    const { unchecked, links, format, type, properties, additionalProperties, ...others } = plain;
    const { items, propertyNames, not, anyOf, oneOf, allOf, if: condition, then, ...rest } = others;
    return {
      ...(type !== undefined && { type }),
      ...(format && { format: format === 'instant' ? 'date-time' : format }),
      ...rest,
      ...changedParts(schema, (part) => this.named(part)),
    };
  }
}
