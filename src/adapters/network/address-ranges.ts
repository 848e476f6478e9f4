import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';

/** Ranges that an operator has opened for deliveries (DELIVERY_ALLOWED_CIDRS). */
export type AddressRanges = Readonly<{ includes(address: string): boolean }>;

export const NO_RANGES: AddressRanges = { includes: () => false };

/** Reads ranges such as `10.1.0.0/16` or `fd00::/8`, or single addresses; adds a mistake for each that is not one. */
export function readRanges(list: readonly string[], mistakes: string[]): AddressRanges {
  const block = new BlockList();
  for (const text of list) {
    const fault = addRange(block, text);
    if (fault !== undefined) mistakes.push(`${text} ${fault}`);
  }
  return { includes: (address) => isPlain(address) && isIn(block, unmapped(address)) };
}

/**
 * Returns why nothing may be delivered to an address, or undefined if it is a public address or in the ranges. An IPv6
 * address that stands for an IPv4 address is judged as that one.
 */
export function whyForbidden(address: string, allowed: AddressRanges): string | undefined {
  if (!isPlain(address)) return 'not an address';
  if (allowed.includes(address)) return undefined;
  const plain = unmapped(address);
  if (isIPv4(plain)) return reasonIn(FORBIDDEN_V4, plain);
  const reason = reasonIn(FORBIDDEN_V6, plain);
  if (reason !== undefined) return reason;
  const embedded = embeddedIn(groupsOf(plain));
  if (embedded !== undefined) {
    const why = whyForbidden(embedded, allowed);
    return why && `${why} (${embedded}), inside an IPv6 address`;
  }
  return isIn(GLOBAL_UNICAST, plain) ? undefined : 'reserved';
}

export const isForbiddenAddress = (address: string, allowed: AddressRanges = NO_RANGES): boolean =>
  whyForbidden(address, allowed) !== undefined;

/** Zone ids are refused: they select an interface of this machine. */
const isPlain = (address: string): boolean => isIP(address) !== 0 && !address.includes('%');

function addRange(block: BlockList, text: string): string | undefined {
  const [, address = '', bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return 'is not a range like 10.1.0.0/16';
  const width = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? width : Number(bits);
  if (prefix > width) return `has more than ${width} bits`;
  if (prefix === 0) return 'would allow every address';
  const family = familyOf(address);
  const network = networkOf(address, prefix);
  if (network !== canonical(address)) return `has bits behind its prefix: ${network}/${prefix}`;
  block.addSubnet(address, prefix, family);
  return undefined;
}

/** Sets the bits behind the prefix to zero. */
function networkOf(address: string, prefix: number): string {
  const isV4 = isIPv4(address);
  const size = isV4 ? 8 : 16;
  const parts = isV4 ? address.split('.').map(Number) : groupsOf(address);
  const kept = parts.map((part, n) => {
    const bits = Math.min(size, Math.max(0, prefix - n * size));
    return part & ~((1 << (size - bits)) - 1);
  });
  return canonical(isV4 ? kept.join('.') : kept.map((part) => part.toString(16)).join(':'));
}

/** Returns the IPv4 address of an IPv4-mapped one, and any other address in canonical form. */
function unmapped(address: string): string {
  if (isIPv4(address)) return address;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? v4In(groups, 6) : canonical(address);
}

/** Finds the IPv4 address that NAT64 (RFC 6052) or an ISATAP router (RFC 5214) would send to. */
function embeddedIn(groups: readonly number[]): string | undefined {
  const [a, b, c, d, e, f] = groups;
  const isNat64 = a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0;
  const isIsatap = (e === 0 || e === 0x200) && f === 0x5efe;
  return isNat64 || isIsatap ? v4In(groups, 6) : undefined;
}

const v4In = (groups: readonly number[], at: number): string =>
  [groups[at]!, groups[at + 1]!].flatMap((group) => [group >> 8, group & 0xff]).join('.');

/** Splits a valid IPv6 address into its eight groups. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = hexOnly(canonical(address)).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

/** Writes a dotted tail, as in `::ffff:10.0.0.1`, as two groups. */
const hexOnly = (address: string): string =>
  address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.slice(0, 4).map(Number);
    return `${((a! << 8) | b!).toString(16)}:${((c! << 8) | d!).toString(16)}`;
  });

const canonical = (address: string): string =>
  isIPv4(address) ? address : new SocketAddress({ address, family: 'ipv6' }).address;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');

const isIn = (block: BlockList, address: string): boolean =>
  block.check(address, familyOf(address));

type Reasons = readonly (readonly [block: BlockList, reason: string])[];

const reasonIn = (reasons: Reasons, address: string): string | undefined =>
  reasons.find(([block]) => isIn(block, address))?.[1];

const reasonsOf = (table: Readonly<Record<string, string>>): Reasons =>
  Object.entries(table).map(([range, reason]) => {
    const block = new BlockList();
    const [address = '', prefix] = range.split('/');
    block.addSubnet(address, Number(prefix), familyOf(address));
    return [block, reason];
  });

/** Special-purpose addresses (IANA registry of RFC 6890), and those of clouds. The first range that matches counts. */
const FORBIDDEN_V4 = reasonsOf({
  '169.254.169.254/32': 'metadata service',
  '169.254.170.2/32': 'metadata service',
  '100.100.100.200/32': 'metadata service',
  '192.0.0.192/32': 'metadata service',
  '168.63.129.16/32': 'metadata service',
  '0.0.0.0/32': 'unspecified',
  '0.0.0.0/8': 'this network',
  '10.0.0.0/8': 'private',
  '100.64.0.0/10': 'shared by a carrier',
  '127.0.0.0/8': 'loopback',
  '169.254.0.0/16': 'link-local',
  '172.16.0.0/12': 'private',
  '192.0.0.0/24': 'reserved',
  '192.0.2.0/24': 'documentation',
  '192.88.99.0/24': '6to4 relay',
  '192.168.0.0/16': 'private',
  '198.18.0.0/15': 'benchmarks',
  '198.51.100.0/24': 'documentation',
  '203.0.113.0/24': 'documentation',
  '224.0.0.0/4': 'multicast',
  '255.255.255.255/32': 'broadcast',
  '240.0.0.0/4': 'reserved',
});

/** Outdated transition mechanisms are refused as a whole: each embeds IPv4 addresses in a way of its own. */
const FORBIDDEN_V6 = reasonsOf({
  'fd00:ec2::254/128': 'metadata service',
  'fd20:ce::254/128': 'metadata service',
  '::/128': 'unspecified',
  '::1/128': 'loopback',
  '::/96': 'IPv4-compatible',
  '::ffff:0:0:0/96': 'IPv4-translated',
  '64:ff9b:1::/48': 'local NAT64',
  '100::/64': 'discard',
  '2001::/32': 'Teredo',
  '2001::/23': 'reserved',
  '2001:db8::/32': 'documentation',
  '2002::/16': '6to4',
  '3fff::/20': 'documentation',
  '5f00::/16': 'segment routing',
  'fc00::/7': 'private',
  'fe80::/10': 'link-local',
  'fec0::/10': 'site-local',
  'ff00::/8': 'multicast',
});

const GLOBAL_UNICAST = new BlockList();
GLOBAL_UNICAST.addSubnet('2000::', 3, 'ipv6');
