import { expect } from 'chai';
import { Refusal } from '#src/kernel/errors.ts';
import { validatorOf } from '#src/http/validator.ts';
import { routes } from '#src/bootstrap/routes.ts';
import { accountTypeResource } from '#src/resources/ledger/account-type.ts';
import { createAccountBody } from '#src/resources/ledger/account.ts';
import { assetResource } from '#src/resources/ledger/asset.ts';
import { createBlockExceptionsBody } from '#src/resources/ledger/block-exception.ts';
import { createOrganizationBody } from '#src/resources/ledger/organization.ts';
import type { Schema } from '#src/kernel/schema.ts';

describe('findings of a body', () => {
  const account = { assetCode: 'BRL', type: 'deposit' };
  const asset = { name: 'a', type: 'others' };
  const organization = { legalName: 'a', legalDocument: 'b' };
  const cases: readonly [schema: Schema, sent: object, message: string][] = [
    [assetResource.create, { ...asset, code: 'brl' }, 'code must be in upper case.'],
    [assetResource.create, { ...asset, code: 'BR1' }, 'code must consist of letters.'],
    [
      createAccountBody,
      { ...account, alias: 'a@external/b' },
      'alias must not contain @external/.',
    ],
    [
      createAccountBody,
      { ...account, alias: 'a b' },
      'alias must consist of letters from A to Z, digits and @:_-.',
    ],
    [
      accountTypeResource.create,
      { name: 'a', keyValue: 'a b' },
      'keyValue must consist of letters from A to Z, digits, _ and -.',
    ],
    [
      createOrganizationBody,
      { ...organization, address: { country: 'br' } },
      'address.country must be a country of ISO 3166-1, by two letters in upper case.',
    ],
    [
      createBlockExceptionsBody,
      { exceptions: [{ accountAlias: 'a', amount: true }] },
      'exceptions[0].amount must be a decimal number.',
    ],
  ];
  for (const [schema, sent, message] of cases) {
    it(`say ${message}`, () => {
      expect(() => validatorOf(schema)(sent)).to.throw(Refusal, message);
    });
  }

  it('have words of their own for every pattern there is', () => {
    const silent: string[] = [];
    const look = (schema: Schema | undefined, at: string): void => {
      if (schema === undefined) return;
      if (schema.pattern !== undefined && schema.must === undefined) silent.push(at);
      for (const [name, member] of Object.entries(schema.properties ?? {})) {
        look(member, `${at}.${name}`);
      }
      const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
      for (const part of [...parts, schema.items]) look(part, at);
    };
    for (const { operationId, body } of routes) look(body, operationId);
    expect(silent).to.deep.equal([]);
  });
});
