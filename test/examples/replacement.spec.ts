import { expect } from 'chai';
import { createReplacement } from './replacement.ts';

const A = '01a20e18-805b-7000-a4e0-3efa127a6e23';
const B = '01a20e18-e417-7000-9e4a-7ce97c552b11';

describe('replacement of what differs from run to run', () => {
  it('shows the same id as the same one, in texts as well, and others as others', () => {
    const { replace } = createReplacement();
    const { id, other } = replace({ id: A, other: B }, 'first') as Record<string, string>;
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([id, other]).not.to.include.members([A, B]);
    expect(other).not.to.equal(id);
    expect(replace([`${A}:from:1`, { [B]: 1 }], 'second')).to.deep.equal([
      `${id}:from:1`,
      { [other!]: 1 },
    ]);
  });

  it('follows from the place, and not from the id', () => {
    const shown = [A, B].map((id) => createReplacement().replace({ id }, 'first'));
    expect(shown[0]).to.deep.equal(shown[1]);
    expect(createReplacement().replace({ id: A }, 'second')).not.to.deep.equal(shown[0]);
  });

  it('keeps the order of instants, and those that the client chose', () => {
    const { keepInstants, replace } = createReplacement();
    keepInstants({ from: '2026-01-04T00:00:00Z' });
    const body = {
      expiresAt: '2026-11-24T15:05:39.900001Z',
      updatedAt: '2026-11-24T15:00:42.000001Z',
      createdAt: '2026-11-24T15:00:40.123456Z',
      from: '2026-01-04T00:00:00.000000Z',
    };
    expect(replace(body, 'first')).to.deep.equal({
      expiresAt: '2026-01-05T10:06:00.000000Z',
      updatedAt: '2026-01-05T10:01:00.000000Z',
      createdAt: '2026-01-05T10:00:00.000000Z',
      from: '2026-01-04T00:00:00.000000Z',
    });
  });

  it('leaves everything else as it is', () => {
    const body = { alias: '@alice', amount: '12.5', version: 3, is: true, none: null, list: ['x'] };
    expect(createReplacement().replace(body, 'first')).to.deep.equal(body);
  });
});
