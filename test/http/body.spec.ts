import { expect } from 'chai';
import {
  accountsPath,
  ACC,
  call,
  startSample,
  transfersPath,
  type Answer,
  type Sample,
} from './sample.ts';

describe('request body', () => {
  let sample: Sample;
  before(async () => (sample = await startSample()));
  after(() => sample.server.close());

  const create = (body: string | Buffer, headers = {}) =>
    call(sample, 'POST', accountsPath, body, headers);
  const update = (body: string) => call(sample, 'PATCH', `${accountsPath}/${ACC}`, body);
  const transfer = (value: string, more = '') =>
    call(sample, 'POST', transfersPath, transferText(value, more));

  it('reaches the handler with defaults filled in', async () => {
    const { status, json } = await create('{"name":"Cash"}');
    expect(status).to.equal(201);
    expect(json['body']).to.deep.equal({
      name: 'Cash',
      blocked: false,
      status: { code: 'ACTIVE', description: null },
    });
  });

  describe('is refused as unreadable', () => {
    const cases: [string, string][] = [
      ['when it is not JSON', '{"name":'],
      ['when it is empty', ''],
      ['when a second value follows', '{"name":"a"}{}'],
      ['when it is no object', '[]'],
      ['when a field has another type', '{"name":1}'],
      ['when a member comes twice', '{"name":"a","name":"b"}'],
      ['when a member is __proto__', '{"name":"a","__proto__":{}}'],
    ];
    for (const [what, body] of cases) {
      it(what, async () => refused(await create(body), 400, 'LDG-0094'));
    }

    it('when it is not UTF-8', async () => {
      refused(await create(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])), 400, 'LDG-0094');
      refused(await create(Buffer.from('{"name":"\xed\xa0\x80"}', 'latin1')), 400, 'LDG-0094');
    });

    it('when its media type is another or missing, and takes parameters', async () => {
      const sent = '{"name":"a"}';
      refused(await create(sent, { 'Content-Type': 'text/plain' }), 400, 'LDG-0094');
      refused(await create(sent, { 'Content-Type': '' }), 400, 'LDG-0094');
      refused(await create(sent, { 'Content-Type': 'application/jsonp' }), 400, 'LDG-0094');
      const { status } = await create(sent, { 'Content-Type': 'Application/JSON; charset=utf-8' });
      expect(status).to.equal(201);
    });
  });

  it('is refused when nested too deeply or too wide, as a fault of the request', async () => {
    const deep = await create(`{"metadata":${'{"a":'.repeat(11)}1${'}'.repeat(11)}}`);
    refused(deep, 400, 'LDG-0144');
    expect(deep.json['entityType']).to.equal('request');
    const keys = Array.from({ length: 101 }, (_, i) => `"k${i}":1`).join(',');
    const wide = await create(`{"name":"a","metadata":{${keys}}}`);
    refused(wide, 400, 'LDG-0145');
    expect(wide.json['entityType']).to.equal('request');
  });

  it('is refused above its limit, announced or not', async () => {
    const big = `{"name":"${'x'.repeat(1024 * 1024)}"}`;
    const announced = await create(big);
    refused(announced, 413, 'LDG-0143');
    expect(announced.json['entityType']).to.equal('request');
    refused(await create(big, { 'Transfer-Encoding': 'chunked' }), 413, 'LDG-0143');
    refused(
      await call(sample, 'PATCH', '/v1/settings', `{"a":"${'x'.repeat(64)}"}`),
      400,
      'LDG-0143',
    );
  });

  describe('findings', () => {
    it('list everything, the wrong type before the unknown, the missing and the malformed', async () => {
      const answer = await create('{"nickname":1,"entityId":"01234567890","blocked":"no"}');
      refused(answer, 400, 'LDG-0094');
      expect(locations(answer)).to.deep.equal(['blocked', 'nickname', 'name', 'entityId']);
    });

    it('say unknown before missing, and missing before malformed', async () => {
      refused(await create('{"nickname":1,"entityId":"01234567890"}'), 400, 'LDG-0053');
      refused(await create('{"entityId":"01234567890"}'), 400, 'LDG-0009');
      refused(await create('{"name":"","entityId":"01234567890"}'), 400, 'LDG-0009');
      refused(await create('{"name":"a","entityId":"01234567890"}'), 400, 'LDG-0047');
    });

    it('carry the value where there was one, and the same facts in fields', async () => {
      const { json } = await create('{"nickname":"x"}');
      expect(json['errors']).to.deep.equal([
        { location: 'nickname', message: 'is not a field of this operation', value: 'x' },
        { location: 'name', message: 'is required' },
      ]);
      expect(json['fields']).to.deep.equal({
        nickname: 'is not a field of this operation',
        name: 'is required',
      });
      expect(json).not.to.have.property('entityType');
    });

    it('use the dedicated code of a field', async () => {
      refused(await create('{"name":"a","country":"br"}'), 400, 'LDG-0032');
      refused(await create('{"name":"a","since":"yesterday"}'), 400, 'LDG-0131');
    });

    it('treat fields that are only shown as unknown', async () => {
      for (const name of ['id', 'ledgerId', 'createdAt', 'deletedAt', 'closedAt']) {
        refused(await create(`{"name":"a","${name}":"x"}`), 400, 'LDG-0053');
      }
    });

    it('give paths below the top level', async () => {
      const answer = await transfer('1', ',"x":1');
      expect(locations(answer)).to.deep.equal(['send.source.from[0].x']);
    });

    it('are bounded, whatever is sent', async () => {
      const unknown = Array.from({ length: 20_000 }, (_, i) => `"u${i}":1`).join(',');
      const answer = await create(`{${unknown}}`);
      refused(answer, 400, 'LDG-0053');
      expect(locations(answer)).to.have.length(100);
      const leg = '{"accountAlias":1}';
      const legs = `[${Array.from({ length: 40_000 }, () => leg).join(',')}]`;
      const many = await call(
        sample,
        'POST',
        transfersPath,
        transferText('1').replace(/"from":\[[^\]]*\]/, `"from":${legs}`),
      );
      refused(many, 400, 'LDG-0094');
      expect(locations(many)).to.have.length(100);
      expect(many.text.length).to.be.below(30_000);
    });

    it('shorten values that are long', async () => {
      const { text } = await create(`{"name":"${'é'.repeat(100_000)}"}`);
      expect(text.length).to.be.below(3000);
    });
  });

  describe('null', () => {
    it('as a whole counts as {}', async () => {
      refused(await create('null'), 400, 'LDG-0009');
      expect((await update('null')).text).to.equal('{}');
    });

    it('for a required field is unexpected, on update as well', async () => {
      refused(await create('{"name":null}'), 400, 'LDG-0053');
      refused(await update('{"name":null}'), 400, 'LDG-0053');
    });

    it('for an optional field counts as absent, unless it may be null', async () => {
      const { json } = await create(
        '{"name":"a","blocked":null,"status":null,"metadata":null,"entityId":null}',
      );
      expect(json['body']).to.deep.equal({
        name: 'a',
        entityId: null,
        blocked: false,
        status: { code: 'ACTIVE', description: null },
      });
    });
  });

  it('counts lengths in code points', async () => {
    expect((await create(`{"name":"a","entityId":"${'😀'.repeat(10)}"}`)).status).to.equal(201);
    refused(await create(`{"name":"a","entityId":"${'😀'.repeat(11)}"}`), 400, 'LDG-0047');
  });

  it('refuses NUL in any string', async () => {
    refused(await create('{"name":"a\\u0000b"}'), 400, 'LDG-0047');
    refused(await create('{"name":"a","metadata":{"k\\u0000":1}}'), 400, 'LDG-0047');
  });

  it('lowers UUIDs and refuses what is none', async () => {
    const { json } = await create('{"name":"a","holderId":"0197F3A0-1111-7AAA-8BBB-00000000000A"}');
    expect(json['body']).to.have.property('holderId', '0197f3a0-1111-7aaa-8bbb-00000000000a');
    refused(await create('{"name":"a","holderId":"0197f3a0"}'), 400, 'LDG-0047');
  });

  describe('decimals', () => {
    for (const [sent, text] of [
      ['"120.50"', '120.50'],
      ['100000000000000000000.000000000001', '100000000000000000000.000000000001'],
      ['1e2', '1e2'],
      ['"+1"', '+1'],
      ['".5"', '.5'],
      ['"1."', '1.'],
      ['"01"', '01'],
      ['0', '0'],
    ] as const) {
      it(`reach the handler as they were written: ${sent}`, async () => {
        const { status, json } = await transfer(sent);
        expect(status).to.equal(201);
        expect(json).to.have.nested.property('body.send.value', text);
      });
    }

    for (const sent of [
      '""',
      '"1,5"',
      '" 1"',
      '"1_000"',
      '"abc"',
      'true',
      '"1e1000"',
      '{}',
      'null',
    ]) {
      it(`are unreadable or unexpected: ${sent}`, async () => {
        refused(await transfer(sent), 400, sent === 'null' ? 'LDG-0053' : 'LDG-0094');
      });
    }

    for (const sent of ['1e1000000', '"1e30"', '"1e-31"', '1'.repeat(31), '"1e999"']) {
      it(`are out of range: ${sent.slice(0, 12)}`, async () => {
        refused(await transfer(sent), 422, 'LDG-0097');
      });
    }
  });

  describe('status', () => {
    const statusOf = async (sent: string) => {
      const { json } = await create(`{"name":"a","status":${sent}}`);
      return (json['body'] as Record<string, unknown> | undefined)?.['status'] ?? json['code'];
    };

    it('is kept flat, in whatever form it comes', async () => {
      const blocked = { code: 'BLOCKED', description: null };
      expect(await statusOf('"BLOCKED"')).to.deep.equal(blocked);
      expect(await statusOf('{"code":"BLOCKED"}')).to.deep.equal(blocked);
      expect(await statusOf('{"status":{"code":"BLOCKED"}}')).to.deep.equal(blocked);
      expect(await statusOf('{"description":"x"}')).to.deep.equal({
        code: 'ACTIVE',
        description: 'x',
      });
      expect(await statusOf('{}')).to.deep.equal({ code: 'ACTIVE', description: null });
    });

    it('is checked inside', async () => {
      expect(await statusOf('{"code":1}')).to.equal('LDG-0094');
      expect(await statusOf('7')).to.equal('LDG-0094');
      expect(await statusOf('{"code":"a","reason":"b"}')).to.equal('LDG-0053');
      expect(await statusOf(`{"code":"${'x'.repeat(101)}"}`)).to.equal('LDG-0047');
      expect(await statusOf(`{"description":"${'x'.repeat(257)}"}`)).to.equal('LDG-0047');
      expect(locations(await create('{"name":"a","status":{"code":1}}'))).to.deep.equal([
        'status.code',
      ]);
    });

    it('on update leaves a missing code to the stored one', async () => {
      expect((await update('{"status":{"description":"x"}}')).json).to.deep.equal({
        status: { description: 'x' },
      });
      expect((await update('{"status":null}')).text).to.equal('{}');
    });
  });

  describe('metadata', () => {
    const codeOf = async (metadata: string) =>
      (await create(`{"name":"a","metadata":${metadata}}`)).json['code'];

    it('holds scalars by key', async () => {
      const { json } = await create('{"name":"a","metadata":{"a":1.0,"b":true,"c":"x","$.d":1e3}}');
      expect(json)
        .to.have.nested.property('body.metadata')
        .that.deep.equals({ a: 1, b: true, c: 'x', '$.d': 1000 });
    });

    it('refuses what is nested, long or no number', async () => {
      expect(await codeOf('{"a":{}}')).to.equal('LDG-0067');
      expect(await codeOf('{"a":null}')).to.equal('LDG-0067');
      expect(await codeOf('{"a":[1]}')).to.equal('LDG-0051');
      expect(await codeOf('{"a":1e999}')).to.equal('LDG-0051');
      expect(await codeOf(`{"a":"${'x'.repeat(2001)}"}`)).to.equal('LDG-0051');
      expect(await codeOf(`{"${'k'.repeat(101)}":1}`)).to.equal('LDG-0050');
      expect(await codeOf('[]')).to.equal('LDG-0094');
      expect(await codeOf(`{"${'é'.repeat(100)}":"${'é'.repeat(2000)}"}`)).to.equal(undefined);
    });

    it('on update may be null, and so may its values', async () => {
      expect((await update('{"metadata":null}')).json).to.deep.equal({ metadata: null });
      expect((await update('{"metadata":{"a":null}}')).json).to.deep.equal({
        metadata: { a: null },
      });
    });
  });

  describe('on update', () => {
    it('may be {}', async () => expect((await update('{}')).text).to.equal('{}'));
    it('takes an empty name as unchanged', async () =>
      expect((await update('{"name":""}')).text).to.equal('{}'));
    it('refuses an immutable field as unknown', async () =>
      refused(await update('{"holderId":"x"}'), 400, 'LDG-0053'));
  });

  it('is not looked at where none is declared', async () => {
    const path = `${accountsPath}/${ACC}/block`;
    expect((await call(sample, 'POST', path)).json).to.deep.equal({ body: 'undefined' });
    expect(
      (await call(sample, 'POST', path, 'garbage', { 'Content-Type': 'x/y' })).status,
    ).to.equal(200);
  });

  it('may be left out where it is optional', async () => {
    expect((await call(sample, 'PATCH', '/v1/settings')).text).to.equal('{}');
    expect((await call(sample, 'PATCH', '/v1/settings', '{"a":"x"}')).json).to.deep.equal({
      body: { a: 'x' },
    });
  });

  function refused(answer: Answer, status: number, code: string): void {
    expect([answer.status, answer.json['code']], answer.text.slice(0, 300)).to.deep.equal([
      status,
      code,
    ]);
    expect(answer.headers['content-type']).to.equal('application/problem+json');
  }
});

const locations = ({ json }: Answer): string[] =>
  (json['errors'] as { location: string }[]).map(({ location }) => location);

const transferText = (value: string, more = ''): string =>
  `{"send":{"asset":"BRL","value":${value},` +
  `"source":{"from":[{"accountAlias":"@a","amount":{"asset":"BRL","value":"1"}${more}}]},` +
  `"distribute":{"to":[{"accountAlias":"@b","amount":{"asset":"BRL","value":"1"}}]}}}`;
