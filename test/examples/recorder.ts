import { expect } from 'chai';
import { REQUEST, type OperationExamples } from '#src/http/operation-examples.ts';
import type { Route } from '#src/http/route.ts';
import type { Answer, Client } from '#test/support/client.ts';
import { until } from '#test/support/until.ts';
import type { ExampleApi, ExampleCall, ExampleMedia } from './example-api.ts';
import { decode, encode, exampleOf } from './encode.ts';
import type { Replacement } from './replacement.ts';

/** The examples found so far, by operation. */
export type Recorded = Map<string, OperationExamples>;

type Recording = Readonly<{
  routes: readonly Route[];
  client: Client;
  recorded: Recorded;
  replacement: Replacement;
  /** Ends the ids of the operations to call, where there is one with this ending. */
  suffix: string;
}>;

/** Calls operations over HTTP and records the bodies that were sent and returned, with stable values. */
export function createRecorder(recording: Recording): ExampleApi {
  const { routes, client, recorded, replacement, suffix } = recording;
  const places: Record<string, string> = {};
  const counts = new Map<string, number>();

  const routeOf = (operationId: string, isExact = false): Route => {
    const named = (id: string) => routes.find((route) => route.operationId === id);
    const route = (isExact ? undefined : named(operationId + suffix)) ?? named(operationId);
    if (route === undefined) throw new Error(`There is no operation ${operationId}`);
    return route;
  };

  const send = async (route: Route, call: ExampleCall): Promise<Answer> => {
    const { body, media = JSON_TYPE, headers = {} } = call;
    const encoded = body === undefined ? undefined : encode(media, body);
    const answer = await client.send({
      method: route.method.toUpperCase(),
      path: pathOf(route, { ...places, ...call.path }, call.query),
      headers: {
        ...(encoded && { 'Content-Type': encoded.type }),
        ...(route.headerParameter && {
          [route.headerParameter.header]: places['organization_id'] ?? '',
        }),
        ...headers,
      },
      ...(encoded && { body: encoded.text }),
    });
    expect(answer.status, `${route.operationId}: ${answer.text}`).to.be.within(200, 299);
    return answer;
  };

  const settled = async (route: Route, call: ExampleCall): Promise<Answer> => {
    let answer = await send(route, call);
    const isSo = async (): Promise<boolean> => {
      if (call.until?.(answer.json() as never) ?? true) return true;
      answer = await send(route, call);
      return false;
    };
    await until(isSo, 30_000, `what ${route.operationId} should return`);
    return answer;
  };

  const record = (id: string, key: string, media: string, example: unknown): void => {
    const known = recorded.get(id) ?? {};
    const bodies = known[key] ?? {};
    if (media in bodies) return;
    if (key === REQUEST && media === JSON_TYPE)
      expect(known, `${id} had a response before this request`).to.deep.equal({});
    recorded.set(id, { ...known, [key]: { ...bodies, [media]: example } });
  };

  const exchange = async (
    operationId: string,
    call: ExampleCall,
  ): Promise<Answer & { body: unknown }> => {
    const route = routeOf(operationId, call.isExact);
    const count = (counts.get(operationId) ?? 0) + 1;
    counts.set(operationId, count);
    const place = `${operationId} ${count}`;
    if (call.body !== undefined) {
      const media = call.media ?? JSON_TYPE;
      replacement.keepInstants(call.body);
      const example = replacement.replace(exampleOf(media, call.body), place);
      record(route.operationId, REQUEST, media, example);
    }
    replacement.keepInstants(call.query ?? {});
    const answer = await settled(route, call);
    if (answer.text === '') return { ...answer, body: undefined };
    const media = (answer.headers['content-type'] ?? '').split(';', 1)[0] as ExampleMedia;
    const body = decode(media, answer.text);
    const example = replacement.replace(shortened(body, call.itemsMax), place);
    record(route.operationId, String(answer.status), media, example);
    return { ...answer, body };
  };

  return {
    call: async <T>(operationId: string, call: ExampleCall = {}) =>
      (await exchange(operationId, call)).body as T,
    header: async (name, operationId, call = {}) =>
      String((await exchange(operationId, call)).headers[name]),
    path: (operationId) => pathOf(routeOf(operationId), places),
    received(operationId, status, media, body) {
      record(operationId, String(status), media, replacement.replace(body, operationId));
    },
    within: (values) => void Object.assign(places, values),
  };
}

function pathOf(
  { path }: Route,
  values: Readonly<Record<string, string>>,
  query: ExampleCall['query'] = {},
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${path} needs ${name}`);
    return encodeURIComponent(value);
  });
  const search = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return search.length === 0 ? filled : `${filled}?${new URLSearchParams(search).toString()}`;
}

function shortened(body: unknown, itemsMax = Infinity): unknown {
  if (Array.isArray(body)) return body.slice(0, itemsMax).map((one) => shortened(one, itemsMax));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, shortened(value, itemsMax)]),
  );
}

const JSON_TYPE = 'application/json';
