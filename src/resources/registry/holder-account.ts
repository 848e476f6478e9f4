import { record } from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';
import { accountOfHolderBody, accountSchema } from '#src/resources/ledger/account.ts';
import { instrumentDetails, instrumentSchema } from './instrument.ts';

/** Contract registry-and-fees §A8: an account of the holder in the path, and the details of its instrument. */
export const openHolderAccountBody = accountOfHolderBody(instrumentDetails) satisfies Schema;

/** The instrument is null if none was requested, or if it was refused; the account is kept then. */
export const holderAccountSchema = record(
  {
    account: accountSchema,
    instrument: { ...instrumentSchema, title: 'InstrumentOrNull', type: ['object', 'null'] },
    instrumentError: record(
      {
        status: { type: 'string', enum: ['FAILED'] },
        reason: { type: 'string', description: 'The code of the refusal, such as `CRM-0013`' },
      },
      ['status', 'reason'],
    ),
  },
  ['account', 'instrument'],
) satisfies Schema;
