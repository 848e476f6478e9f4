/** The parts of an OpenAPI document that pages read. */
export type Description = Readonly<{
  info: Readonly<{ title: string; version: string; description: string }>;
  tags: readonly Readonly<{ name: string; description?: string }>[];
  paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  components: Readonly<{
    parameters: Readonly<Record<string, Parameter>>;
    schemas: Schemas;
    responses: Readonly<Record<string, Readonly<{ description: string }>>>;
    links?: Readonly<Record<string, Link>>;
  }>;
}>;

export type DescribedOperation = Readonly<{
  operationId: string;
  summary: string;
  description?: string;
  deprecated?: boolean;
  tags: readonly string[];
  parameters: readonly (Parameter | Reference)[];
  requestBody?: Readonly<{ required?: boolean; content: Content }>;
  responses: Readonly<Record<string, DescribedResponse | Reference>>;
  'x-permission': string;
}>;

export type DescribedResponse = Readonly<{
  description: string;
  content?: Content;
  links?: Readonly<Record<string, Link | Reference>>;
}>;

export type Link = Readonly<{ parameters?: Readonly<Record<string, string>> }>;
export type Reference = Readonly<{ $ref: string }>;

export type Parameter = Readonly<{
  name: string;
  in: string;
  required?: boolean;
  deprecated?: boolean;
  description?: string;
  schema: SchemaObject;
}>;

export type Content = Readonly<Record<string, Media>>;

export type Media = Readonly<{
  schema: SchemaObject;
  example?: unknown;
  examples?: Readonly<Record<string, Readonly<{ value?: unknown }>>>;
}>;

export type Schemas = Readonly<Record<string, SchemaObject>>;

export type SchemaObject = Readonly<{
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  description?: string;
  deprecated?: boolean;
  properties?: Readonly<Record<string, SchemaObject>>;
  required?: readonly string[];
  items?: SchemaObject;
  additionalProperties?: boolean | SchemaObject;
  anyOf?: readonly SchemaObject[];
  oneOf?: readonly SchemaObject[];
  allOf?: readonly SchemaObject[];
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: readonly unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  dependentRequired?: Readonly<Record<string, readonly string[]>>;
}>;

/** `#/components/schemas/Account` → `Account`. */
export const nameOf = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);

export const isReference = (one: object): one is Reference => '$ref' in one;

/** Returns the schema that a reference stands for, under the reference's own description. */
export function resolved(schema: SchemaObject, schemas: Schemas): SchemaObject {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...own } = schema;
  return { ...schemas[nameOf($ref)], ...own };
}
