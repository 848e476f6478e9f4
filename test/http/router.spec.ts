import { expect } from 'chai';
import { Router } from '#src/http/router.ts';

describe('router', () => {
  const router = new Router<string>();
  router.add('get', '/v1/things', 'list');
  router.add('get', '/v1/things/{thing_id}', 'one');
  router.add('get', '/v1/things/{thing_id}/parts', 'parts');
  router.add('get', '/v1/things/alias/{alias}', 'by alias');
  const found = (path: string) => {
    const match = router.find(path);
    return match && [match.endpoint.methods['GET'], ...match.values];
  };

  it('takes words in any letter case, and what is no word as a parameter, however long', () => {
    const id = '01a20287-f4f1-7004-a902-fe42e53c0000';
    expect(found('/v1/THINGS')).to.deep.equal(['list']);
    expect(found(`/v1/things/${id}`)).to.deep.equal(['one', id]);
    expect(found('/v1/things/7')).to.deep.equal(['one', '7']);
    expect(found(`/V1/things/${id}/Parts/`)).to.deep.equal(['parts', id]);
    expect(found(`/v1/things/alias/${id}`)).to.deep.equal(['by alias', id]);
  });

  it('takes no word that names an operation for an id, nor anything for a word that is longer', () => {
    expect(found('/v1/things/metrics')).to.equal(undefined);
    expect(found('/v1/things/Block-Exceptions')).to.equal(undefined);
    expect(found('/v1/thingsthingsthingsthingsthings')).to.equal(undefined);
    expect(found('/v1/things/7/partsparts')).to.equal(undefined);
    expect(found('/v1//7')).to.equal(undefined);
  });
});
