import type { Finding, Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { parseScript } from '#src/dsl/parse.ts';
import { SCRIPT_MAX } from '#src/dsl/script.ts';
import { textOf } from '#src/http/body.ts';
import { fileOf } from '#src/http/file.ts';
import { reader } from '#src/http/reader.ts';
import { bodyOfVersion2 } from '#src/http/mounted.ts';
import { route } from './route.ts';
import { record } from '#src/kernel/schema-fragments.ts';
import { createTransactionBody } from '#src/resources/ledger/transaction-body.ts';
import { byFees, feeCodes } from './fee-refusals.ts';
import { creation, funded, held, PATH, post } from './transaction.ts';

const script = { type: 'string', minLength: 1, description: 'A transaction as a script' } as const;
/** One schema for JSON and forms: a generator of clients leaves out what only forms refer to, and then misses it. */
const scriptBody = {
  title: 'CreateTransactionDslRequest',
  ...record(
    {
      dsl: { ...script, description: 'The script; in a form, a file whose name contains .gold' },
    },
    ['dsl'],
  ),
} as const;

/** A script has no syntax for these fields, so their refusals are not declared. */
const unsayable = new Set([
  'LEG_QUANTITY',
  'DATE_IN_FUTURE',
  'DATE_WITH_PENDING',
  'INTERNAL_BALANCE',
]);

/** A transaction written in the platform's transaction language (contract ledger §8). */
export const transactionDslRoutes = [
  route({
    ...creation,
    operationId: 'createTransactionDsl',
    summary: 'Create a transaction from a script',
    description:
      'Send the script as text, as a file whose name contains .gold, or in JSON. It stands for a body of the ' +
      'creation from JSON, and the same rules hold; it has no syntax for transaction dates.',
    path: `${PATH}/dsl`,
    body: scriptBody,
    bodyLimit: SCRIPT_MAX + 64 * 1024, // Room for the form, or the JSON, around the script.
    forms: {
      'text/plain': { schema: script, read: (bytes) => ({ dsl: scriptOf(bytes) }) },
      'multipart/form-data': {
        schema: scriptBody,
        read: async (bytes, contentType) => {
          const file = await fileOf(bytes, contentType, 'dsl');
          if (file === undefined) throw invalid('a form needs one file under the name dsl');
          if (!file.fileName.includes('.gold')) {
            throw invalid('the name of the file must contain .gold', file.fileName);
          }
          return { dsl: scriptOf(file.bytes) };
        },
      },
    },
    refusals: [
      ...[...funded, ...held].filter((name) => !unsayable.has(name)),
      'TRANSACTION_ROUTE_REQUIRED', // A script names none.
      'DSL_INVALID',
      'DSL_EMPTY',
      'METADATA_KEY_TOO_LONG',
      'METADATA_VALUE',
      'INDEX_CONFLICT',
      'TOO_MANY_KEYS',
      ...byFees,
    ],
    codes: feeCodes,
    handle: (request, services) => {
      const { dsl } = request.body;
      if (Buffer.byteLength(dsl) > SCRIPT_MAX) throw tooLarge();
      // The body that the script stands for represents the request, also in the fingerprint of its idempotency key.
      const body = readTransaction[request.version].check(parseScript(dsl));
      return post({ ...request, body }, services, body);
    },
  }),
];

const readTransaction = {
  1: reader(createTransactionBody),
  2: reader(bodyOfVersion2(createTransactionBody)),
};

function scriptOf(bytes: Buffer): string {
  if (bytes.length === 0) {
    throw refuse('DSL_EMPTY', 'The script is empty.', {
      findings: [{ location: 'dsl', message: 'is empty' }],
    });
  }
  const text = decoded(bytes);
  if (text.includes('\0')) {
    const message = 'must not contain a NUL character';
    throw refuse('MALFORMED_FIELD', `dsl ${message}.`, {
      findings: [{ location: 'dsl', message }],
    });
  }
  return text;
}

function decoded(bytes: Buffer): string {
  try {
    return textOf(bytes);
  } catch {
    throw invalid('it is not UTF-8');
  }
}

function invalid(message: string, value?: string): Refusal {
  const finding: Finding = { location: 'dsl', message, ...(value !== undefined && { value }) };
  return refuse('DSL_INVALID', `The script cannot be taken: ${message}.`, {
    findings: [finding],
  });
}

const tooLarge = (): Refusal =>
  refuse('TOO_LARGE', `The script has more than ${SCRIPT_MAX} bytes.`, { entityType: 'request' });
