import { holderClosingProcess } from '#commands/registry/processes/close-holder.ts';
import { holderErasureProcess } from '#commands/registry/processes/erase-holder.ts';
import { instrumentErasureProcess } from '#commands/registry/processes/erase-instrument.ts';

export const processes = [holderClosingProcess, holderErasureProcess, instrumentErasureProcess];
