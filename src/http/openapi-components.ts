import type { Schema } from '#src/resources/schema.ts';

/** Schemas in the words of OpenAPI; one with a title is described once and referred to. */
export class Components {
  readonly schemas: Record<string, object> = {};
  readonly responses: Record<string, object> = {};
  private readonly problems = new Map<string, string>();
  private readonly titled = new Map<string, Schema>();

  /** What may be sent: decimals as number too, since they are read from their text. */
  input(schema: Schema): object {
    return this.named(schema, true);
  }

  output(schema: Schema): object {
    return this.named(schema, false);
  }

  /** The problem documents of one status; operations with the same codes share a description. */
  problem(status: number | 'default', codes: readonly string[]): object {
    const key = `${status} ${codes.join(' ')}`;
    let name = this.problems.get(key);
    if (name === undefined) {
      const others = [...this.problems.keys()].filter((other) => other.startsWith(`${status} `));
      name = `Problem${status}${others.length === 0 ? '' : `-${others.length + 1}`}`;
      this.problems.set(key, name);
      const one = { $ref: '#/components/schemas/Problem' };
      const schema = { allOf: [one, { properties: { code: { enum: codes } } }] };
      const content = { 'application/problem+json': { schema } };
      this.responses[name] = { description: codes.join(', '), content };
    }
    return { $ref: `#/components/responses/${name}` };
  }

  /** Errors: two different schemas with one title. */
  private named(schema: Schema, input: boolean): object {
    const { title } = schema;
    if (title === undefined) return this.described(schema, input);
    const other = this.titled.get(title);
    if (other === undefined) {
      this.titled.set(title, schema);
      this.schemas[title] = this.described(schema, input);
    } else if (other !== schema) {
      throw new Error(`Two schemas are titled ${title}`);
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  private described(schema: Schema, input: boolean): object {
    const { refusal, must, neverNull, emptyIsAbsent, zeroIsAbsent, reads, ...plain } = schema;
    const { format, type, properties, items, additionalProperties, anyOf, oneOf, allOf, ...rest } =
      plain;
    const part = (one: Schema): object => this.named(one, input);
    const decimal = format === 'decimal';
    return {
      ...(type !== undefined && { type: decimal && input ? ['string', 'number'] : type }),
      ...(format && { format: format === 'instant' ? 'date-time' : format }),
      ...rest,
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, member]) => [name, part(member)]),
        ),
      }),
      ...(items && { items: part(items) }),
      ...(additionalProperties !== undefined && {
        additionalProperties:
          typeof additionalProperties === 'object'
            ? part(additionalProperties)
            : additionalProperties,
      }),
      ...(anyOf && { anyOf: anyOf.map(part) }),
      ...(oneOf && { oneOf: oneOf.map(part) }),
      ...(allOf && { allOf: allOf.map(part) }),
    };
  }
}
