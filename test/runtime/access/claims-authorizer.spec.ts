import { expect } from 'chai';
import { claimsAuthorizer } from '#src/runtime/access/claims-authorizer.ts';
import type { TokenClaims } from '#src/ports/token-verifier.ts';

describe('permissions in the claims of a token', () => {
  const allows = (
    claims: TokenClaims,
    asked: string,
    { isFolded = false, roles = {} }: { isFolded?: boolean; roles?: Record<string, string> } = {},
  ) => {
    const [namespace = '', resource = '', action = ''] = asked.split(':');
    const authorizer = claimsAuthorizer({
      permissionsClaim: 'permissions',
      roleGroups: new Map(Object.entries(roles)),
      namespaces: { core: 'quipu', isFolded },
    });
    const actor = { type: 'user', id: 'ana' };
    return authorizer.allows(
      { actor, claims, tenantId: 'default' },
      { namespace, resource, action },
      '',
    );
  };
  const permitted = (permissions: unknown, asked: string, more = {}) =>
    allows({ permissions }, asked, more);

  it('name namespace, resource and action, or * for all', () => {
    expect(permitted(['quipu:accounts:get'], 'core:accounts:get')).to.equal(true);
    expect(permitted('x:y:z quipu:accounts:get', 'core:accounts:get')).to.equal(true);
    expect(permitted(['quipu:*:get'], 'core:ledgers:get')).to.equal(true);
    expect(permitted(['*:*:*'], 'plugin-fees:packages:delete')).to.equal(true);
    for (const other of ['quipu:accounts:post', 'quipu:ledgers:get', 'routing:accounts:get']) {
      expect(permitted([other], 'core:accounts:get'), other).to.equal(false);
    }
  });

  it('grant nothing where they are none', () => {
    const useless = [
      undefined,
      null,
      7,
      {},
      [],
      [null, 7, {}],
      '',
      'core:accounts:get',
      '*',
      '*:*',
      '*:*:*:*',
    ];
    for (const permissions of useless) {
      expect(permitted(permissions, 'core:accounts:get'), JSON.stringify(permissions)).to.equal(
        false,
      );
    }
  });

  it('are asked for in the core namespace where deployments fold others into it', () => {
    const folded = { isFolded: true };
    expect(permitted(['quipu:packages:get'], 'plugin-fees:packages:get', folded)).to.equal(true);
    expect(permitted(['plugin-fees:packages:get'], 'plugin-fees:packages:get', folded)).to.equal(
      false,
    );
    expect(permitted(['plugin-crm:holders:get'], 'plugin-crm:holders:get', folded)).to.equal(true);
  });

  it('come from groups as well, which survive a change of namespaces', () => {
    const of = (group: string, asked: string, isFolded = false) =>
      allows({ roles: ['teller'] }, asked, { isFolded, roles: { teller: group } });
    expect(of('quipu-viewer-group', 'core:accounts:get')).to.equal(true);
    expect(of('quipu-viewer-group', 'core:accounts:post')).to.equal(false);
    expect(of('quipu-contributor-group', 'core:accounts:patch')).to.equal(true);
    expect(of('quipu-contributor-group', 'core:accounts:delete')).to.equal(false);
    expect(of('quipu-editor-group', 'routing:operation-routes:delete')).to.equal(true);
    expect(of('quipu-editor-group', 'plugin-fees:packages:get')).to.equal(false);
    expect(of('quipu-editor-group', 'plugin-fees:packages:get', true)).to.equal(true);
    expect(of('plugin-fees-editor-group', 'plugin-fees:packages:get', true)).to.equal(true);
    expect(of('plugin-crm-viewer-group', 'plugin-crm:holders:get')).to.equal(true);
    expect(of('admin-group', 'plugin-identity:users:delete')).to.equal(true);
    expect(
      allows({ roles: ['stranger'] }, 'core:accounts:get', { roles: { teller: 'admin-group' } }),
    ).to.equal(false);
  });
});
