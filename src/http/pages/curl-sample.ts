import type { Schemas } from './description.ts';
import { exampleValue } from './example.ts';
import type { PlacedOperation } from './reference.ts';
import { IDEMPOTENCY_KEY, takesKey, takesToken } from './request-headers.ts';
import { JSON_TYPE, requiredIn, sampleBody, SERVER, type SampleBody } from './sample-request.ts';

/** Returns a curl command for an operation, with its required parts. */
export function curlSample(placed: PlacedOperation, schemas: Schemas): string {
  const { method, path } = placed;
  const body = sampleBody(placed, schemas);
  const values = (where: string): [string, string][] =>
    requiredIn(placed, where).map(({ name, schema }) => [name, exampleValue(schema, schemas)]);
  const query = new URLSearchParams(values('query')).toString();
  const headers: [string, string][] = [
    ...(takesToken(placed) ? [['Authorization', 'Bearer $TOKEN'] as [string, string]] : []),
    ...values('header'),
    ...(takesKey(placed) ? [[IDEMPOTENCY_KEY, '$KEY'] as [string, string]] : []),
    ...(body ? [['Content-Type', body.type] as [string, string]] : []),
  ];
  return [
    `curl${METHODS[method] ?? ` -X ${method.toUpperCase()}`} "${SERVER}${inShell(path)}${query && `?${query}`}"`,
    ...headers.map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body
      ? [`${body.type === JSON_TYPE ? '-d' : '--data-binary'} ${quoted(textOf(body))}`]
      : []),
  ].join(' \\\n  ');
}

const METHODS: Readonly<Record<string, string>> = { get: '', head: ' --head' };

/** Turns `{id}` into `$id`, because curl would expand braces. */
const inShell = (path: string): string => path.replaceAll(/\{(\w+)\}/g, '$$$1');

const textOf = ({ value }: SampleBody): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
