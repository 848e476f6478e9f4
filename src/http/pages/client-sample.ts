import { isReference, resolved, type Content, type Schemas } from './description.ts';
import { exampleValue } from './example.ts';
import type { PlacedOperation } from './reference.ts';
import { takesToken } from './request-headers.ts';
import { JSON_TYPE, requiredIn, sampleBody, SERVER } from './sample-request.ts';

/**
 * Returns a call of the package's client for an operation, with its required parts; undefined for a body that the client
 * does not send. The client adds the idempotency key itself.
 */
export function clientSample(placed: PlacedOperation, schemas: Schemas): string | undefined {
  const body = sampleBody(placed, schemas);
  if (placed.operation.requestBody && body?.type !== JSON_TYPE) return undefined;
  const options = {
    path: valuesIn(placed, 'path', schemas),
    query: valuesIn(placed, 'query', schemas),
    headers: valuesIn(placed, 'header', schemas),
    body: body?.value,
  };
  const isBare = Object.values(options).every((part) => part === undefined);
  const given = `'${placed.path}'${isBare ? '' : `, ${literal(options)}`}`;
  const token = takesToken(placed) ? ', token: process.env.TOKEN' : '';
  return `import { createClient } from 'quipu/client';

const client = createClient({ url: '${SERVER}'${token} });

${callOf(placed, given, schemas)}`;
}

/** Writes the call by the method of the client that fits the response. */
function callOf({ method, operation }: PlacedOperation, given: string, schemas: Schemas): string {
  const content = successOf(operation.responses);
  const schema = content[JSON_TYPE]?.schema;
  if (method === 'head') return `const count = await client.count(${given});`;
  if (method === 'get' && NDJSON_TYPE in content) {
    return `for await (const line of client.lines(${given})) {\n  console.log(line);\n}`;
  }
  if (method === 'get' && schema && resolved(schema, schemas).properties?.['items']) {
    return `for await (const item of client.items(${given})) {\n  console.log(item);\n}`;
  }
  if (schema !== undefined) return `const data = await client.${method}(${given});`;
  return Object.keys(content).length === 0
    ? `await client.${method}(${given});`
    : `const { response } = await client.request('${method}', ${given});`;
}

const NDJSON_TYPE = 'application/x-ndjson';

const successOf = (responses: PlacedOperation['operation']['responses']): Content =>
  Object.values(responses).reduce<Content>(
    (all, one) => (isReference(one) ? all : { ...all, ...one.content }),
    {},
  );

function valuesIn(
  placed: PlacedOperation,
  where: string,
  schemas: Schemas,
): Readonly<Record<string, string>> | undefined {
  const required = requiredIn(placed, where);
  if (required.length === 0) return undefined;
  return Object.fromEntries(
    required.map(({ name, schema }) => [name, exampleValue(schema, schemas)]),
  );
}

/** Writes a value as TypeScript, without quotes where names need none. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value as Record<string, unknown>)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${/^[a-z_$][\w$]*$/i.test(name) ? name : textLiteral(name)}: ${literal(member, inner)}`); // prettier-ignore
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (lines.length === 0) return `${open}${close}`;
  const line = Array.isArray(value) ? `[${lines.join(', ')}]` : `{ ${lines.join(', ')} }`;
  if (!line.includes('\n') && indent.length + line.length < LINE_MAX) return line;
  return `${open}\n${lines.map((one) => `${inner}${one},\n`).join('')}${indent}${close}`;
}

const textLiteral = (text: string): string =>
  `'${text.replaceAll(/['\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}'`;

const LINE_MAX = 56;
