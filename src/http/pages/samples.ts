import type { Parameter, Schemas } from './description.ts';
import { exampleOf, exampleValue } from './example.ts';
import { IDEMPOTENCY_KEY, takesKey, takesToken } from './request-headers.ts';
import type { PlacedOperation } from './reference.ts';

/** The server of the samples, which the script of the page replaces by its own. */
export const SERVER = 'http://127.0.0.1:3000';

/** Returns a curl command for an operation, with its required parts. */
export function curlSample(placed: PlacedOperation, schemas: Schemas): string {
  const { method, path } = placed;
  const { type, text } = bodyOf(placed, schemas);
  const query = new URLSearchParams(
    requiredIn(placed, 'query').map(({ name, schema }) => [name, exampleValue(schema, schemas)]),
  ).toString();
  const headers = [
    takesToken(placed) ? ['Authorization', 'Bearer $TOKEN'] : undefined,
    ...requiredIn(placed, 'header').map(({ name, schema }) => [
      name,
      exampleValue(schema, schemas),
    ]),
    takesKey(placed) ? [IDEMPOTENCY_KEY, '$KEY'] : undefined,
    type === undefined ? undefined : ['Content-Type', type],
  ].filter((header) => header !== undefined);
  const verb =
    method === 'get' ? '' : method === 'head' ? ' --head' : ` -X ${method.toUpperCase()}`;
  return [
    `curl${verb} "${SERVER}${path.replaceAll(/\{(\w+)\}/g, '$$$1')}${query && `?${query}`}"`,
    ...headers.map(([name = '', value = '']) => `-H "${name}: ${value}"`),
    ...(text === undefined ? [] : [`-d '${text.replaceAll("'", String.raw`'\''`)}'`]),
  ].join(' \\\n  ');
}

/** Returns the same request as a call of the package's client. */
export function typescriptSample(placed: PlacedOperation, schemas: Schemas): string {
  const { method, path } = placed;
  const { type, value } = bodyOf(placed, schemas);
  const given = (where: string): Record<string, string> | undefined => {
    const parameters = requiredIn(placed, where);
    if (parameters.length === 0) return undefined;
    return Object.fromEntries(
      parameters.map(({ name, schema }) => [name, exampleValue(schema, schemas)]),
    );
  };
  const header = { ...given('header'), ...(takesKey(placed) && { [IDEMPOTENCY_KEY]: 'key-1' }) };
  const params = {
    path: given('path'),
    query: given('query'),
    header: Object.keys(header).length === 0 ? undefined : header,
  };
  const init = {
    params: Object.values(params).every((part) => part === undefined) ? undefined : params,
    body: type === undefined ? undefined : value,
  };
  const isBare = Object.values(init).every((part) => part === undefined);
  const call = `client.${method.toUpperCase()}('${path}'${isBare ? '' : `, ${literal(init)}`})`;
  return `import { createClient } from 'quipu/client';

const client = createClient({ baseUrl: '${SERVER}' });

const { data, error } = await ${call};`;
}

type SampleBody = Readonly<{ type?: string; value?: unknown; text?: string }>;

function bodyOf({ operation }: PlacedOperation, schemas: Schemas): SampleBody {
  const [content] = Object.entries(operation.requestBody?.content ?? {});
  if (content === undefined) return {};
  const [type, media] = content;
  const value = exampleOf(media, schemas, 'required');
  return { type, value, text: typeof value === 'string' ? value : JSON.stringify(value, null, 2) };
}

const requiredIn = ({ parameters }: PlacedOperation, where: string): readonly Parameter[] =>
  parameters.filter((one) => one.in === where && one.required === true);

/** Writes a value as TypeScript, without quotes where names need none. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value as Record<string, unknown>)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${/^[a-z_$][\w$]*$/i.test(name) ? name : `'${name}'`}: ${literal(member, inner)}`); // prettier-ignore
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (lines.length === 0) return `${open}${close}`;
  const line = Array.isArray(value) ? `[${lines.join(', ')}]` : `{ ${lines.join(', ')} }`;
  if (!line.includes('\n') && indent.length + line.length < LINE_MAX) return line;
  return `${open}\n${lines.map((one) => `${inner}${one},\n`).join('')}${indent}${close}`;
}

const LINE_MAX = 56;
