/** The parts of an OpenAPI document that pages read. */
export type Description = Readonly<{
  info: Readonly<{ title: string; version: string; description: string }>;
  tags: readonly Readonly<{ name: string }>[];
  paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  components: Readonly<{
    parameters: Readonly<Record<string, Parameter>>;
    schemas: Readonly<Record<string, SchemaObject>>;
    responses: Readonly<Record<string, Readonly<{ description: string }>>>;
  }>;
}>;

export type DescribedOperation = Readonly<{
  operationId: string;
  summary: string;
  tags: readonly string[];
  parameters: readonly (Parameter | Reference)[];
  requestBody?: Readonly<{ required: boolean; content: Content }>;
  responses: Readonly<Record<string, Answered | Reference>>;
  'x-permission': string;
}>;

export type Answered = Readonly<{ description: string; content?: Content }>;
export type Reference = Readonly<{ $ref: string }>;

export type Parameter = Readonly<{
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: SchemaObject;
}>;

export type Content = Readonly<Record<string, Readonly<{ schema: SchemaObject }>>>;

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
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}>;

/** `#/components/schemas/Account` → `Account`. */
export const nameOf = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);
