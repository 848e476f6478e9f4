import { isIdentityTaken } from '#commands/access/processes/claims.ts';
import type { FirstAccess } from '#commands/access/processes/first-access.ts';
import type { TenantRegister } from '#commands/tenants/processes/tenant-register.ts';
import { TenantRefused, type TenantCommand } from '#commands/tenants/tenants.ts';
import { firstAccessMistakes } from '#src/components/access/settings.ts';
import type { Actor } from '#src/kernel/event-metadata.ts';
import { isTenantId } from '#src/kernel/tenant.ts';

/** A command of `quipu tenant` for a running server, and its answer. */
export type TenantRequest = Readonly<{
  type: 'AddTenant' | 'SuspendTenant';
  id: string;
  /** A tenant that is added begins with these if it has no administrator. */
  first?: FirstAccess;
}>;
export type TenantAnswer = Readonly<
  | {
      changed: boolean;
      /** Says whether the administrator was created or there was one; absent if the request has none. */
      administrator?: 'created' | 'present';
    }
  | { refused: string }
  | { failed: string }
>;

/** Creates what tenants begin with; `recordedAs` is the id that the events of a tenant record. */
export type TenantAccess = Readonly<{
  /** Reserves the client id for the tenant. Returns false if it is that of another one. Errors: Unavailable. */
  reserve: (recordedAs: string, first: FirstAccess) => Promise<boolean>;
  /** Returns whether the tenant has an administrator. Errors: Unavailable. */
  hasBegun: (recordedAs: string) => Promise<boolean>;
  /** Returns false if it had an administrator. Errors: Refusal, Unavailable. */
  begin: (recordedAs: string, first: FirstAccess) => Promise<boolean>;
}>;

type TenantControlPorts = Readonly<{
  register: Pick<TenantRegister, 'submit' | 'refresh' | 'state'>;
  /** Undefined where nothing but the journal of tenants can be written. */
  access: (() => Promise<TenantAccess>) | undefined;
}>;

/** Carries out a command of an operator. Never rejects, and never repeats a secret. */
export async function answerTenantRequest(
  { register, access }: TenantControlPorts,
  request: unknown,
): Promise<TenantAnswer> {
  const { type, id, first } = (request ?? {}) as Partial<TenantRequest>;
  if ((type !== 'AddTenant' && type !== 'SuspendTenant') || typeof id !== 'string') {
    return { refused: 'This server does not know the command; it is of another release.' };
  }
  try {
    if (first === undefined) return { changed: await register.submit({ type, id }, OPERATOR) };
    const mistake = mistakeIn(first, type, access);
    if (mistake !== undefined || access === undefined) return { refused: mistake ?? '' };
    return await addWithAccess(register, await access(), id, first);
  } catch (error) {
    if (error instanceof TenantRefused) return { refused: error.message };
    if (isIdentityTaken(error)) return { refused: `${error.message} ${OTHERS}` };
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Adds a tenant with its first administrator and application. A client id that is taken is found before anything is recorded.
 * What a crash leaves undone, the same command does.
 */
async function addWithAccess(
  { submit, refresh, state }: TenantControlPorts['register'],
  { reserve, hasBegun, begin }: TenantAccess,
  id: string,
  first: FirstAccess,
): Promise<TenantAnswer> {
  await refresh();
  const recordedAs = state.byId.get(id)?.recordedAs ?? id;
  const isPossible = isTenantId(id); // Of any other id, the journal says what is wrong.
  const isNew = isPossible && !(await hasBegun(recordedAs));
  if (isNew && !(await reserve(recordedAs, first))) {
    return { refused: `ACCESS_ADMIN_CLIENT_ID is the id of another client. ${OTHERS}` };
  }
  const told = (type: TenantCommand['type']) => submit({ type, id }, OPERATOR);
  const changed = await told('AddTenant');
  if (!isNew) return { changed, administrator: 'present' };
  await told('UseTenant'); // A later start must know of the tenant's data before there are any.
  return { changed, administrator: (await begin(recordedAs, first)) ? 'created' : 'present' };
}

function mistakeIn(
  first: unknown,
  type: TenantRequest['type'],
  access: TenantControlPorts['access'],
): string | undefined {
  const isComplete =
    typeof first === 'object' &&
    first !== null &&
    MEMBERS.every((name) => typeof (first as Record<string, unknown>)[name] === 'string');
  if (!isComplete || type !== 'AddTenant' || access === undefined) {
    return 'This server does not create administrators with the command; it is of another release.';
  }
  const mistakes = firstAccessMistakes(first as FirstAccess);
  return mistakes.length === 0 ? undefined : mistakes.join('. ');
}

const MEMBERS: readonly (keyof FirstAccess)[] = [
  ...(['username', 'email', 'password', 'clientId', 'clientSecret'] as const),
];
const OTHERS = 'Set other ACCESS_ADMIN_ variables for this tenant, or none.';
const OPERATOR: Actor = { type: 'system', id: 'command line' };
