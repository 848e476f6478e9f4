import type { TenantRegister } from '#commands/tenants/processes/tenant-register.ts';
import { TenantRefused } from '#commands/tenants/tenants.ts';
import type { Actor } from '#src/kernel/event-metadata.ts';

/** A command of `quipu tenant` for a running server, and its answer. */
export type TenantRequest = Readonly<{ type: 'AddTenant' | 'SuspendTenant'; id: string }>;
export type TenantAnswer = Readonly<
  { changed: boolean } | { refused: string } | { failed: string }
>;

/** Carries out a command of an operator. Never rejects. */
export async function answerTenantRequest(
  { submit }: Pick<TenantRegister, 'submit'>,
  request: unknown,
): Promise<TenantAnswer> {
  const { type, id } = (request ?? {}) as Partial<TenantRequest>;
  if ((type !== 'AddTenant' && type !== 'SuspendTenant') || typeof id !== 'string') {
    return { refused: 'This server does not know the command; it is of another release.' };
  }
  try {
    return { changed: await submit({ type, id }, OPERATOR) };
  } catch (error) {
    if (error instanceof TenantRefused) return { refused: error.message };
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

const OPERATOR: Actor = { type: 'system', id: 'command line' };
