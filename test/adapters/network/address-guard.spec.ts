import { connect, createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import {
  AddressRefused,
  createAddressGuard,
  hostFault,
  type ResolveName,
} from '#src/adapters/network/address-guard.ts';
import {
  isForbiddenAddress,
  NO_RANGES,
  readRanges,
  whyForbidden,
} from '#src/adapters/network/address-ranges.ts';
import { readTargetUrl } from '#src/adapters/network/target-url.ts';

const rangesOf = (...list: readonly string[]) => {
  const mistakes: string[] = [];
  const ranges = readRanges(list, mistakes);
  expect(mistakes).to.deep.equal([]);
  return ranges;
};

describe('forbidden addresses', () => {
  const forbidden: Readonly<Record<string, readonly string[]>> = {
    'metadata service': [
      '169.254.169.254',
      '169.254.170.2',
      '100.100.100.200',
      '192.0.0.192',
      '168.63.129.16',
      'fd00:ec2::254',
      'FD00:0EC2:0:0:0:0:0:0254',
      '::ffff:169.254.169.254',
      '::ffff:a9fe:a9fe',
      '0:0:0:0:0:ffff:169.254.169.254',
    ],
    unspecified: ['0.0.0.0', '::', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0'],
    'this network': ['0.0.0.1', '0.255.255.255'],
    private: [
      '10.0.0.0',
      '10.255.255.255',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      '192.168.255.255',
      'fc00::1',
      'fd12:3456:789a::1',
      'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      '::ffff:10.1.2.3',
      '::ffff:c0a8:101',
    ],
    loopback: ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'],
    'link-local': ['169.254.0.1', '169.254.255.255', 'fe80::1', 'febf:ffff::1'],
    'site-local': ['fec0::1'],
    'shared by a carrier': ['100.64.0.1', '100.127.255.255', '::ffff:100.64.0.1'],
    multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::101'],
    broadcast: ['255.255.255.255', '::ffff:255.255.255.255'],
    benchmarks: ['198.18.0.1', '198.19.255.255'],
    documentation: ['192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1'],
    '6to4 relay': ['192.88.99.1'],
    reserved: ['192.0.0.1', '240.0.0.1', '254.1.2.3', '2001:10::1', '4000::1', 'e000::1'],
    'IPv4-compatible': ['::127.0.0.1', '::8.8.8.8', '::a00:1'],
    'IPv4-translated': ['::ffff:0:127.0.0.1'],
    'local NAT64': ['64:ff9b:1::a00:1'],
    Teredo: ['2001:0:4136:e378:8000:63bf:80ff:fffe', '2001::1'],
    '6to4': ['2002:7f00:1::', '2002:0a00:0001::1', '2002:808:808::1'],
    discard: ['100::1'],
    'segment routing': ['5f00::1'],
    'loopback (127.0.0.1), inside an IPv6 address': [
      '64:ff9b::127.0.0.1',
      '64:ff9b::7f00:1',
      '2606:4700::5efe:127.0.0.1',
      '2606:4700::200:5efe:7f00:1',
    ],
    'metadata service (169.254.169.254), inside an IPv6 address': ['64:ff9b::a9fe:a9fe'],
    'private (10.0.0.1), inside an IPv6 address': ['64:ff9b::10.0.0.1'],
    'not an address': ['fe80::1%eth0', '::1%lo', '127.1', '0x7f000001', '2130706433', '', 'a.b'],
  };

  for (const [reason, addresses] of Object.entries(forbidden)) {
    for (const address of addresses) {
      it(`include ${JSON.stringify(address)}: ${reason}`, () => {
        expect(whyForbidden(address, NO_RANGES)).to.equal(reason);
      });
    }
  }

  it('do not include public ones', () => {
    const open = [
      '1.1.1.1',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.1',
      '172.15.255.255',
      '172.32.0.0',
      '192.167.255.255',
      '223.255.255.255',
      '::ffff:8.8.8.8',
      '64:ff9b::8.8.8.8',
      '2001:4860:4860::8888',
      '2606:4700:4700::1111',
      '2a00:1450:4001::1',
    ];
    expect(open.filter((address) => isForbiddenAddress(address))).to.deep.equal([]);
  });

  it('do not include what the operator allows, however it is written', () => {
    const ranges = rangesOf('10.1.0.0/16', 'fd12::/16', '127.0.0.1', '169.254.169.254/32');
    const allowed = ['10.1.255.255', '::ffff:10.1.0.1', '64:ff9b::a01:1', 'fd12::9', '127.0.0.1'];
    expect(allowed.filter((address) => isForbiddenAddress(address, ranges))).to.deep.equal([]);
    const others = ['10.2.0.1', 'fd13::1', '127.0.0.2', '::10.1.0.1', '2002:a01:1::'];
    expect(others.filter((address) => !isForbiddenAddress(address, ranges))).to.deep.equal([]);
    expect(isForbiddenAddress('169.254.169.254', ranges)).to.equal(false);
    expect(ranges.includes('fd12::1%eth0')).to.equal(false);
  });

  it('are opened only by ranges that say what they mean', () => {
    const mistakes: string[] = [];
    const wrong = ['10.1.2.3/8', '0.0.0.0/0', '::/0', '10.0.0.0/33', 'fd00::/129', 'x', '10.1/16'];
    const ranges = readRanges([...wrong, 'fe80::1%lo', 'fd00::1/8'], mistakes);
    expect(mistakes).to.deep.equal([
      '10.1.2.3/8 has bits behind its prefix: 10.0.0.0/8',
      '0.0.0.0/0 would allow every address',
      '::/0 would allow every address',
      '10.0.0.0/33 has more than 32 bits',
      'fd00::/129 has more than 128 bits',
      'x is not a range like 10.1.0.0/16',
      '10.1/16 is not a range like 10.1.0.0/16',
      'fe80::1%lo is not a range like 10.1.0.0/16',
      'fd00::1/8 has bits behind its prefix: fd00::/8',
    ]);
    expect(ranges.includes('10.0.0.1')).to.equal(false);
  });
});

describe('hosts of targets', () => {
  const odd = [
    '2130706433',
    '017700000001',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.1',
    '127.0.1',
    '127.0.0.1.',
    'localhost.',
    'fe80::1%25eth0',
    '127。0。0。1',
    '１２７.0.0.1',
    'exämple.com',
    'a..b',
    '-a.com',
    'a b',
    '%31%32%37.0.0.1',
    'user@host',
    'example.0x1',
    '1.2.3.4.5',
    '256.1.1.1',
    `${'a'.repeat(64)}.com`,
  ];
  for (const host of odd) {
    it(`are refused as ${host.slice(0, 20)}`, () => {
      expect(hostFault(host)).to.be.a('string');
      expect(readTargetUrl(`https://${host}/`, ['https'])).to.equal(undefined);
    });
  }

  const oddUrls = [
    'https://user:password@example.com/',
    'https://@example.com/',
    'https://example.com\\@127.0.0.1/',
    'https://example.com/#x',
    'https:example.com',
    'https:///example.com',
    'https://[::1%lo]/',
    'https://[::ffff:127.0.0.1',
    ' https://example.com/',
    'https://exa\tmple.com/',
    'https://example.com/a b',
    'https://example.com/é',
    'https://example.com:99999/',
    'https://example.com:/',
    'ftp://example.com/',
    'file:///etc/passwd',
  ];
  for (const url of oddUrls) {
    it(`are refused in ${JSON.stringify(url)}`, () => {
      expect(readTargetUrl(url, ['https'])).to.equal(undefined);
    });
  }

  it('are names and addresses in their usual spelling', () => {
    const hosts = [
      'https://example.com/a?b=c%20d',
      'https://EXAMPLE.com:8443',
      'https://a_b.internal/',
    ]
      .concat('https://8.8.8.8/', 'https://[2606:4700::1111]:443/', 'https://[0:0:0:0:0:0:0:1]/')
      .map((url) => readTargetUrl(url, ['https'])?.host);
    expect(hosts).to.deep.equal(
      ['example.com', 'EXAMPLE.com', 'a_b.internal', '8.8.8.8'].concat(
        '2606:4700::1111',
        '0:0:0:0:0:0:0:1',
      ),
    );
  });
});

describe('address guard', () => {
  const resolves =
    (...addresses: readonly string[]): ResolveName =>
    (_, callback) => {
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
  const looked = (
    resolve: ResolveName,
    { encrypted = true, ranges = NO_RANGES, all = true } = {},
  ) =>
    new Promise<unknown>((done) => {
      createAddressGuard(ranges, resolve).lookupFor(encrypted)(
        'hooks.example.com',
        { all },
        (error, address) => {
          done(error ?? address);
        },
      );
    });

  it('refuses a name if any of its addresses is forbidden', async () => {
    for (const addresses of [
      ['10.0.0.1'],
      ['8.8.8.8', '::1'],
      ['2606:4700::1', '169.254.169.254'],
    ]) {
      expect(await looked(resolves(...addresses))).to.be.instanceOf(AddressRefused);
    }
    expect(await looked(resolves())).to.be.instanceOf(AddressRefused);
  });

  it('says which address and why', async () => {
    expect(String(await looked(resolves('8.8.8.8', '10.0.0.1')))).to.include(
      'hooks.example.com (10.0.0.1) may not be addressed: private',
    );
  });

  it('passes the addresses it checked', async () => {
    const found = [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ];
    expect(await looked(resolves('8.8.8.8', '2606:4700::1'))).to.deep.equal(found);
    expect(await looked(resolves('8.8.8.8'), { all: false })).to.equal('8.8.8.8');
  });

  it('passes the error of a name that does not resolve', async () => {
    const unknown = new Error('ENOTFOUND');
    const failing: ResolveName = (_, callback) => {
      callback(unknown, []);
    };
    expect(await looked(failing)).to.equal(unknown);
  });

  it('lets unencrypted connections into allowed ranges only', async () => {
    const ranges = rangesOf('10.0.0.0/8');
    const plain = { encrypted: false, ranges };
    expect(await looked(resolves('10.0.0.1'), plain)).to.be.an('array');
    expect(await looked(resolves('8.8.8.8'), plain)).to.be.instanceOf(AddressRefused);
    expect(await looked(resolves('10.0.0.1', '8.8.8.8'), plain)).to.be.instanceOf(AddressRefused);
  });

  it('checks hosts that are addresses, and their spelling', () => {
    const guard = createAddressGuard(rangesOf('127.0.0.0/8'));
    for (const host of ['10.0.0.1', '::1', '0x7f000001', '127.1', 'localhost.', '::ffff:a00:1']) {
      expect(() => guard.checkHost(host, true), host).to.throw(AddressRefused);
    }
    expect(() => guard.checkHost('8.8.8.8', false)).to.throw(AddressRefused, 'only over TLS');
    guard.checkHost('8.8.8.8', true);
    guard.checkHost('127.0.0.1', false);
    guard.checkHost('hooks.example.com', false); // Its addresses are checked when it is resolved.
  });

  it('connects to the address it checked, whatever the name server says next', async () => {
    const server = createServer((socket) => socket.end());
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    let asked = 0;
    const rebinding: ResolveName = (host, callback) => {
      asked += 1;
      resolves(asked === 1 ? '127.0.0.1' : '10.0.0.1')(host, callback);
    };
    const guard = createAddressGuard(rangesOf('127.0.0.0/8'), rebinding);
    const connected = () =>
      new Promise<unknown>((done) => {
        const socket = connect({ host: 'hooks.example.com', port, lookup: guard.lookupFor(false) });
        socket.on('connect', () => {
          done(socket.remoteAddress);
          socket.destroy();
        });
        socket.on('error', done);
      });
    expect(await connected()).to.equal('127.0.0.1');
    expect(asked).to.equal(1);
    expect(await connected()).to.be.instanceOf(AddressRefused);
    await new Promise((closed) => server.close(closed));
  });
});
