import { explanationOf, type Glossary } from '#src/kernel/descriptions.ts';
import type { PublishedSchema, Schema } from '#src/kernel/schema.ts';
import { requestSchema } from './request-schema.ts';
import { changedParts, withOptionsAsRule, withoutAllOf } from './schema-parts.ts';

/** Names a schema without a title, unless it stays where it is used, and explains its members. */
export type Described = Readonly<{ name?: string; members: Glossary }>;

/** Translates schemas to OpenAPI; one with a title, or the whole of a body, is described once and referenced. */
export class Components {
  readonly schemas: Record<string, object> = {};
  readonly responses: Record<string, object> = {};
  private readonly problems = new Map<string, string>();
  private readonly titled = new Map<string, PublishedSchema>();
  private readonly untitled = new Map<object, string>();

  /** Describes what a client may send as the body of a request. */
  input(schema: Schema, described: Described): object {
    return this.whole(schema, requestSchema(schema), described);
  }

  output(schema: Schema, described: Described): object {
    return this.whole(schema, schema, described);
  }

  /** Describes parameters that a rule holds together as one object; `declared` tells whether it is a known one. */
  parameters(declared: object, schema: PublishedSchema, described: Described): object {
    return this.whole(declared, schema, described);
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
      const schema = {
        allOf: [one, { type: 'object', properties: { code: { type: 'string', enum: codes } } }],
      };
      const content = { 'application/problem+json': { schema } };
      this.responses[name] = { description: codes.join(', '), ...(!bodiless && { content }) };
    }
    return { $ref: `#/components/responses/${name}` };
  }

  /** Describes a body. Generators name types after it, so an object without a title gets the name of its operation. */
  private whole(declared: object, body: PublishedSchema, { name, members }: Described): object {
    const place = { path: name === undefined ? [] : [name], members };
    const { title, type, anyOf = [], oneOf = [] } = body;
    const parts = [...anyOf, ...oneOf];
    const hasName = [title, ...parts.map((one) => one.title)].some((one) => one !== undefined);
    if (name === undefined || hasName || !TYPES_OF_BODIES.has(String(type))) {
      return this.named(body, place);
    }
    const known = this.untitled.get(declared);
    if (known !== undefined) return { $ref: `#/components/schemas/${known}` };
    this.untitled.set(declared, name);
    return this.named({ ...body, title: name }, place);
  }

  /** Describes a schema; one with a title by reference. Errors: two different schemas with one title. */
  private named(schema: PublishedSchema, place: Place): object {
    const { title } = schema;
    if (title === undefined) return this.described(schema, place);
    const other = this.titled.get(title);
    if (other === undefined) {
      this.titled.set(title, schema);
      this.schemas[title] = this.described(schema, { ...place, path: [title] });
    } else if (other !== schema) {
      throw new Error(`Two schemas are titled ${title}`);
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  private described(declared: PublishedSchema, place: Place): object {
    const schema = withOptionsAsRule(withoutAllOf(declared));
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
    const { items, propertyNames, not, anyOf, oneOf, allOf, if: condition, then, ...more } = others;
    const { default: standard, ...rest } = more;
    return {
      ...typeOf(schema),
      ...(format && { format: format === 'instant' ? 'date-time' : format }),
      ...rest,
      ...(isPlain(schema) && isScalar(standard) && { default: standard }),
      ...changedParts(
        schema,
        (part) => this.named(part, place),
        (part, name) => this.member(part, { ...place, path: [...place.path, name] }),
      ),
    };
  }

  /** Describes a member, with a sentence of its own or that of the glossary. */
  private member(schema: PublishedSchema, place: Place): object {
    const own = schema.title === undefined ? schema.description : undefined;
    const description = own ?? explanationOf(place.members, place.path);
    return { ...this.named(schema, place), ...(description !== undefined && { description }) };
  }
}

/** Locates a schema from the title of the one that contains it, and has the glossary for its members. */
type Place = Readonly<{ path: readonly string[]; members: Glossary }>;

const TYPES_OF_BODIES: ReadonlySet<string> = new Set(['object', 'object,null', 'undefined']);

/** Returns the type that a schema states or that its values have: generators make nothing of values without one. */
function typeOf({ type, const: value, enum: values = [value] }: PublishedSchema): object {
  if (type !== undefined) return { type };
  const types = new Set(values.map((one) => (one === null ? 'null' : typeof one)));
  if (!types.isSubsetOf(TYPES_OF_VALUES)) return {};
  return { type: types.size === 1 ? [...types][0] : [...types] };
}

const TYPES_OF_VALUES: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'null']);

/** Generators write a default as a literal of one type; where there are several, the description has it in words. */
const isPlain = ({ type, enum: words = [] }: PublishedSchema): boolean =>
  type !== undefined && !words.includes(null);
const isScalar = (standard: unknown): boolean =>
  standard !== undefined && (typeof standard !== 'object' || standard === null);
