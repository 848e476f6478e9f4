import { lookup as resolveName, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { whyForbidden, type AddressRanges } from './address-ranges.ts';

/** The address of a target may not be reached from here. */
export class AddressRefused extends Error {
  static readonly CODE = 'ADDRESS_REFUSED';
  readonly code = AddressRefused.CODE; // Drivers keep the code of an error, but not its type.
  constructor(message: string) {
    super(message);
    this.name = 'AddressRefused';
  }
}

/**
 * Keeps deliveries away from addresses inside the network: a subscriber chooses the address, and this process may reach
 * what the subscriber cannot. An unencrypted connection may go only to ranges that the operator has opened.
 */
export type AddressGuard = Readonly<{
  /**
   * Checks a host that is an address; connections to such hosts ask no name server, so it must be called before each.
   * Errors: AddressRefused.
   */
  checkHost(host: string, isEncrypted: boolean): void;

  /**
   * Returns the `lookup` of a connection: it refuses a name if any of its addresses is forbidden, and the connection
   * then uses the addresses that were checked, so that a name server cannot change its answer in between.
   */
  lookupFor(isEncrypted: boolean): LookupFunction;
}>;

/** Resolves a name to all of its addresses. */
export type ResolveName = (
  host: string,
  callback: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

export function createAddressGuard(
  allowed: AddressRanges,
  resolve: ResolveName = systemResolver,
): AddressGuard {
  const check = (host: string, address: string, isEncrypted: boolean): void => {
    const why = whyForbidden(address, allowed);
    const at = host === address ? address : `${host} (${address})`;
    if (why !== undefined) throw new AddressRefused(`${at} may not be addressed: ${why}`);
    if (!isEncrypted && !allowed.includes(address)) {
      throw new AddressRefused(`${at} may be addressed only over TLS`);
    }
  };

  return {
    checkHost(host, isEncrypted) {
      const fault = hostFault(host);
      if (fault !== undefined) throw new AddressRefused(`${JSON.stringify(host)} ${fault}`);
      if (isIP(host) !== 0) check(host, host, isEncrypted);
    },

    lookupFor:
      (isEncrypted) =>
      (host, { all }, callback) => {
        resolve(host, (error, addresses) => {
          try {
            if (error) throw error;
            const [first] = addresses;
            if (first === undefined) throw new AddressRefused(`${host} has no address`);
            for (const { address } of addresses) check(host, address, isEncrypted);
            if (all === true) callback(null, [...addresses]);
            else callback(null, first.address, first.family);
          } catch (refusal) {
            callback(refusal as Error, []);
          }
        });
      },
  };
}

const systemResolver: ResolveName = (host, callback) => {
  resolveName(host, { all: true }, callback);
};

/**
 * Returns what is wrong with a host as a subscriber wrote it, without the brackets of an IPv6 address; undefined if it
 * is a name or an address in its usual spelling. Resolvers read `0x7f.1`, `2130706433` or `127。0。0。1` as addresses too.
 */
export function hostFault(host: string): string | undefined {
  if (isIP(host) !== 0) return host.includes('%') ? 'has a zone id' : undefined;
  if (host.length > HOST_LENGTH_MAX || !NAME.test(host)) return 'is not a host name';
  if (LIKE_AN_ADDRESS.test(host)) return 'is an address in an unusual spelling';
  return undefined;
}

const HOST_LENGTH_MAX = 253;
/** Underscores occur in the names of containers. */
const NAME = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;
/** The last label of a name is never numeric (RFC 3696 §2). */
const LIKE_AN_ADDRESS = /(^|\.)(\d+|0x[0-9a-f]*)$/i;
