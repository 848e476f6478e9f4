import type { DomainEvent } from '#src/kernel/decider.ts';
import type { RefusalName } from '#src/kernel/errors.ts';
import { entityOf, memberOf } from '#src/kernel/record.ts';
import { membersIn, viewBy, type WrittenResource } from '#src/kernel/record-resource.ts';
import { writeDescriptions } from './record-descriptions.ts';
import { created, noContent, ok, type ConsistencyToken } from './reply.ts';
import type { Request } from './request.ts';
import { route, type Route } from './route.ts';
import type { Services } from './services.ts';

/** The location of records: the path above theirs, and the journal that takes commands about them. */
export type RecordHome = Readonly<{
  path: `/${string}`;
  /** Continues summaries if the records belong to a parent: `a book`. */
  owner?: string;
  /** Names its operations; `createAccountType` if left out. */
  operationId?: (action: string, name: string) => string;
  /** The refusals of the path above. */
  refusals: readonly RefusalName[];
  admit?: Route['admit'];
  /** The codes that this place assigns to refusals. */
  codes?: Route['codes'];
  /** Creations take an idempotency key. */
  idempotent?: true;
  /** Submits the command as a component's rules declare it. */
  submit: (
    request: Request,
    services: Services,
    command: Readonly<{ type: string }>,
  ) => Promise<
    Readonly<{ events: readonly DomainEvent[]; token: ConsistencyToken; replayed?: boolean }>
  >;
  /** Renders the record in the data of an event as JSON text, if the view needs more than the record. */
  show?: (data: object, services: Services) => Promise<string>;
}>;

/** Declares the operations that create, update and delete a record. */
export function recordWriteRoutes(resource: WrittenResource, home: RecordHome): Route[] {
  const { name, nouns, view, notes = {}, refusals = {} } = resource;
  const { fields = asSent, changes = asSent } = resource;
  const [one] = nouns;
  const { owner, admit, codes, idempotent, operationId = (action: string) => action + name } = home;
  const of = owner === undefined ? '' : ` of ${owner}`;
  const descriptions = writeDescriptions(resource, { idempotent });
  const facts = (action: string) => ({
    tag: resource.tag,
    entityType: name,
    permission: { namespace: resource.namespace ?? 'core', resource: resource.path, action },
    ...(admit && { admit }),
    ...(codes && { codes }),
  });
  const path = `${home.path}/${resource.path}` as const;
  const parameter = `${entityOf(name)}_id`;
  const absent = [...home.refusals, refusals.notFound ?? 'NOT_FOUND'];
  const idIn = (request: Request): unknown =>
    (request.path as Readonly<Record<string, string>>)[parameter];

  const viewed = viewBy(view);
  const show =
    home.show ??
    ((data: object) =>
      Promise.resolve(
        JSON.stringify(viewed((data as Readonly<Record<string, object>>)[memberOf(name)]!)),
      ));

  /** Submits a command, and renders the record in the event of this type. */
  const shown = async (request: Request, services: Services, step: string, command: object) => {
    const type = `${name}${step}`;
    const whole = { type: `${step.slice(0, -1)}${name}`, ...command };
    const { events, token, replayed } = await home.submit(request, services, whole);
    const data = events.find((event) => event.type === type)?.data;
    if (data === undefined) throw new Error(`${whole.type} comes to ${type}`);
    const isKeyed = idempotent === true && step === 'Created' && replayed !== undefined;
    const more = { token, ...(isKeyed && { replayed }) };
    return [await show(data, services), more] as const;
  };

  return [
    route({
      ...facts('post'),
      operationId: operationId('create', name),
      summary: summary(`Create ${one}${owner === undefined ? '' : ` in ${owner}`}`, notes.create),
      description: descriptions.create,
      method: 'post',
      path,
      body: resource.create,
      ...(idempotent && { idempotent }),
      replies: { 201: view },
      refusals: [...home.refusals, ...(refusals.create ?? [])],
      handle: async (request, services) => {
        const command = { fields: membersIn(resource.create, fields(request.body as never)) };
        return created(...(await shown(request, services, 'Created', command)));
      },
    }),

    route({
      ...facts('patch'),
      operationId: operationId('update', name),
      summary: summary(`Change ${one}${of}`, notes.update),
      description: descriptions.update,
      method: 'patch',
      path: `${path}/{${parameter}}`,
      body: resource.update,
      replies: { 200: view },
      refusals: [...absent, ...(refusals.update ?? []), 'TOO_LARGE'],
      handle: async (request, services) => {
        const command = { id: idIn(request), changes: changes(request.body as never) };
        return ok(...(await shown(request, services, 'Updated', command)));
      },
    }),

    route({
      ...facts('delete'),
      operationId: operationId('delete', name),
      summary: summary(`Delete ${one}${of}`, notes.delete),
      description: descriptions.delete,
      method: 'delete',
      path: `${path}/{${parameter}}`,
      replies: { 204: null },
      refusals: [...absent, ...(refusals.delete ?? [])],
      handle: async (request, services) => {
        const command = { type: `Delete${name}`, id: idIn(request) };
        const { token } = await home.submit(request, services, command);
        return noContent({ token });
      },
    }),
  ];
}

const summary = (text: string, note: string | undefined): string =>
  note === undefined ? text : `${text}; ${note}`;

const asSent = (sent: object): object => sent;
