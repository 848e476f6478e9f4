import { journalOfStreaming, type StreamingCommand } from '#commands/streaming/streaming.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';

/** Submits a command to the streaming journal of the caller's tenant. Errors: Refusal, Unavailable. */
export async function submit(
  request: Request,
  { commands }: Services,
  command: StreamingCommand,
  how?: 'keyed',
) {
  const journal = journalOfStreaming(request.context.tenantId);
  const outcome = await commands.submit(request, journal, command, how);
  return { ...outcome, token: { [journal.name]: outcome.revision } };
}
