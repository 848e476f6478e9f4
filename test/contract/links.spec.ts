import { expect } from 'chai';
import { openapiOf } from '#src/http/openapi.ts';
import { parameterNames } from '#src/http/route-table.ts';
import { routes } from '#src/bootstrap/routes.ts';

type Link = Readonly<{ operationId: string; parameters: Readonly<Record<string, string>> }>;
type Linked = Readonly<{ operationId: string; responses: Readonly<Record<string, Reply>> }>;
type Reply = Readonly<{ links?: Readonly<Record<string, Readonly<{ $ref: string }>>> }>;
type Document = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, Linked>>>>;
  components: Readonly<{ links: Readonly<Record<string, Link>> }>;
}>;

describe('links of the API description', () => {
  const { paths, components } = openapiOf(routes) as Document;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const linksOf = (operationId: string): readonly Link[] => {
    const found = operations.find((one) => one.operationId === operationId);
    const { '201': created, '202': accepted } = found?.responses ?? {};
    return Object.values((created ?? accepted)?.links ?? {}).map(
      ({ $ref }) => components.links[$ref.split('/').at(-1) ?? '']!,
    );
  };
  const targets = (operationId: string): readonly string[] =>
    linksOf(operationId).map((link) => link.operationId);

  it('lead from an organization to a transaction and its operations', () => {
    expect(targets('createOrganization')).to.include('createLedger');
    expect(targets('createLedger')).to.include.members(['createAsset', 'createAccount']);
    expect(targets('createLedger')).to.include('createTransactionJson');
    expect(targets('createAccount')).to.include.members(['getAccount', 'createBalance']);
    expect(targets('createBalance')).to.include.members(['getBalance', 'deleteBalance']);
    const after = ['commitTransaction', 'getOperationByAccount', 'updateOperation'];
    expect(targets('createTransactionJson')).to.include.members(after);
    expect(targets('createDirectTransaction')).to.include('revertTransactionV2');
  });

  it('reach every operation whose path names a record', () => {
    const reached = new Set(operations.flatMap(({ operationId }) => targets(operationId)));
    const missed = routes.filter(
      ({ path, operationId }) => path.includes('{') && !reached.has(operationId),
    );
    expect(missed.map(({ operationId }) => operationId)).to.deep.equal(UNREACHED);
  });

  it('give each parameter of the path, and reads the token of the write before them', () => {
    for (const { operationId, parameters } of Object.values(components.links)) {
      const target = routes.find((one) => one.operationId === operationId)!;
      const reads = target.method === 'get' || target.method === 'head';
      expect(Object.keys(parameters)).to.have.members([
        ...parameterNames(target.path),
        ...(reads ? ['X-Consistency-Token'] : []),
      ]);
    }
  });

  it('take the id of what was created from the reply, and where it is from the request', () => {
    const commit = linksOf('createTransactionJson').find(
      (link) => link.operationId === 'commitTransaction',
    );
    expect(commit?.parameters).to.deep.equal({
      organization_id: '$request.path.organization_id',
      ledger_id: '$request.path.ledger_id',
      transaction_id: '$response.body#/id',
    });
    const [direct] = linksOf('createDirectTransaction');
    expect(direct?.parameters['ledger_id']).to.equal('$response.body#/ledgerId');
  });
});

/**
 * An index is created by the kind of its records, no reply of a creation names a delivery or a group, and that of an
 * erasure names its certificate in a header.
 */
const UNREACHED = [
  'deleteRelatedParty',
  'deleteRelatedPartyV2',
  'deleteRelatedPartyByPath',
  'getErasureCertificate',
  'getErasureCertificateV2',
  'getErasureCertificateByPath',
  'getFeeDebt',
  'createMetadataIndex',
  'createMetadataIndexV2',
  'getProducerStreamingManifest',
  'getEventSchema',
  'getGroup',
];
