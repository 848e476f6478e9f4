import { expect } from 'chai';
import { readTraceContext, traceIdOf } from '#src/kernel/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${PARENT}-01`;

describe('the context of a trace', () => {
  it('is read as it was sent', () => {
    const read = readTraceContext(VALID, 'congo=t61rcWkgMzE,rojo@x=00f0 67');
    expect(read).to.deep.equal({
      traceparent: VALID,
      tracestate: 'congo=t61rcWkgMzE,rojo@x=00f0 67',
    });
    expect(traceIdOf(read!)).to.equal(TRACE);
    expect(readTraceContext(VALID, undefined)).to.deep.equal({ traceparent: VALID });
    expect(readTraceContext(undefined, 'a=b')).to.equal(undefined);
  });

  it('counts as absent if it is malformed, and so does its state', () => {
    for (const traceparent of [
      ...[
        '',
        ' ',
        'nonsense',
        `${VALID} `,
        ` ${VALID}`,
        `${VALID}-`,
        `${VALID}-00`,
        `${VALID},${VALID}`,
      ],
      ...[VALID.toUpperCase(), `ff-${TRACE}-${PARENT}-01`, `0-${TRACE}-${PARENT}-01`],
      ...[`00-${'0'.repeat(32)}-${PARENT}-01`, `00-${TRACE}-${'0'.repeat(16)}-01`],
      ...[`00-${TRACE}0-${PARENT}-01`, `00-${TRACE}-${PARENT}-1`, `01-${TRACE}-${PARENT}-01x`],
      ...[`00-${TRACE}-${PARENT}-01\n`, `00-${TRACE}-${PARENT}`, VALID.replaceAll('-', '_')],
    ]) {
      expect(readTraceContext(traceparent, 'a=b'), JSON.stringify(traceparent)).to.equal(undefined);
    }
  });

  it('of a later version keeps what is known of it', () => {
    for (const [sent, flags] of [
      ...([
        ['01', '01'],
        ['ff', '01'],
        ['fe', '00'],
        ['00', '00'],
      ] as const),
    ]) {
      for (const rest of ['', '-', '-what-comes']) {
        const read = readTraceContext(`cc-${TRACE}-${PARENT}-${sent}${rest}`, undefined);
        expect(read?.traceparent).to.equal(`00-${TRACE}-${PARENT}-${flags}`);
      }
    }
  });

  it('keeps a state in its form, and leaves out any other alone', () => {
    const stateOf = (tracestate: string) => readTraceContext(VALID, tracestate)?.tracestate;
    expect(stateOf(' a=1 ,\tb=2 , ,c*/-_=3')).to.equal('a=1,b=2,c*/-_=3');
    const members = (n: number) => Array.from({ length: n }, (_, i) => `k${i}=v`).join(',');
    expect(stateOf(members(32))).to.equal(members(32));
    expect(stateOf(`a=${'v'.repeat(256)}`)).to.have.length(258);
    for (const malformed of [
      ...['', ',', 'a', 'a=', '=a', 'a=b=c', 'A=b', 'a=é', 'a=\u0000', 'a=b\nc=d', 'a b=c', 'a@=b'],
      ...['a=1,a=2', members(33), `a=${'v'.repeat(257)}`, `${'k'.repeat(242)}=v`],
      ...[`a=${'v'.repeat(256)},b=${'v'.repeat(256)}`],
    ]) {
      expect(stateOf(malformed), JSON.stringify(malformed)).to.equal(undefined);
      expect(readTraceContext(VALID, malformed)).to.deep.equal({ traceparent: VALID });
    }
  });
});
