import { expect } from 'chai';
import { Refusal } from '#src/kernel/errors.ts';
import { fileOf } from '#src/http/file.ts';

/** As their senders write them: parts end in `\r\n--B`. */
const FORM = 'multipart/form-data; boundary=B';
const form = (...parts: readonly string[]) =>
  Buffer.from(parts.map((part) => `--B\r\n${part}\r\n`).join('') + '--B--\r\n');
const disposition = (name: string, fileName: string) =>
  `Content-Disposition: form-data; name="${name}"; filename="${fileName}"`;
const file = (name: string, fileName: string, content: string) =>
  `${disposition(name, fileName)}\r\n\r\n${content}`;

describe('file of a form', () => {
  const read = async (body: Buffer, contentType = FORM) => {
    const found = await fileOf(body, contentType, 'dsl');
    return found && `${found.fileName}: ${found.bytes.toString()}`;
  };

  it('is found by the name of its part, as several clients write it', async () => {
    const parts = {
      curl: `${disposition('dsl', 'a.gold')}\r\nContent-Type: application/octet-stream\r\n\r\nhi`,
      OkHttp: `${disposition('dsl', 'a.gold')}\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi`,
      '.NET': `Content-Disposition: form-data; name=dsl; filename=a.gold; filename*=utf-8''a.gold\r\n\r\nhi`,
      'with an encoding': `${disposition('dsl', 'a.gold')}\r\nContent-Transfer-Encoding: binary\r\n\r\nhi`,
    };
    for (const [client, part] of Object.entries(parts)) {
      expect(await read(form(part)), client).to.equal('a.gold: hi');
    }
    const beside = [file('other', 'b', 'x'), 'Content-Disposition: form-data; name="n"\r\n\r\nx'];
    expect(await read(form(...beside, file('dsl', 'a.gold', 'hi')))).to.equal('a.gold: hi');
    const quoted = 'Multipart/Form-Data; charset=utf-8; boundary="B"';
    expect(await read(form(file('dsl', 'é.gold', '\r\n--')), quoted)).to.equal('é.gold: \r\n--');
  });

  it('may be empty', async () => {
    expect(await read(form(file('dsl', 'a.gold', '')))).to.equal('a.gold: ');
  });

  it('is not there without its name, without a file name, or twice', async () => {
    expect(await read(form(file('DSL', 'a.gold', 'hi')))).to.equal(undefined);
    expect(await read(form('Content-Disposition: form-data; name="dsl"\r\n\r\nhi'))).to.equal(
      undefined,
    );
    const twice = file('dsl', 'a.gold', 'hi');
    expect(await read(form(twice, twice))).to.equal(undefined);
  });

  it('is not looked for in what is no form', async () => {
    const good = form(file('dsl', 'a.gold', 'hi'));
    const cases: [body: Buffer, contentType: string][] = [
      [Buffer.from('hi'), FORM],
      [Buffer.alloc(0), FORM],
      [good.subarray(0, -10), FORM],
      [good, 'multipart/form-data'],
      [good, 'multipart/form-data; boundary='],
      [good, 'multipart/form-data; boundary=other'],
      [form(...Array.from({ length: 1000 }, () => file('x', 'x', ''))), FORM],
    ];
    for (const [body, contentType] of cases) {
      const error = await fileOf(body, contentType, 'dsl').catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(Refusal).with.property('refusal', 'BODY_UNREADABLE');
    }
  });
});
