import { canonicalAddress } from './client-address.ts';

/**
 * The header with which a proxy tells whose connection it forwards (PROXY protocol, versions 1 and 2,
 * https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt).
 */
type ProxyHeader =
  /** More bytes are needed. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'malformed' }
  | {
      readonly kind: 'header';
      readonly lengthBytes: number;
      /**
       * Undefined if the connection is the proxy's own (LOCAL), or the client's address is not known (UNKNOWN, other
       * families).
       */
      readonly address: string | undefined;
    };

/** §2.1: the longest line of version 1, with its end. */
const V1_LIMIT_BYTES = 107;

/** Addresses and further values (TLV); proxies send less than one kilobyte. */
const V2_LIMIT_BYTES = 4_096;

/** What is read of a connection at most before its header is complete. */
export const PROXY_HEADER_LIMIT_BYTES = 16 + V2_LIMIT_BYTES;

const V1_BEGINNING = Buffer.from('PROXY ');
/** §2.2 */
const V2_BEGINNING = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const V2_FIXED_BYTES = 16;

const incomplete: ProxyHeader = { kind: 'incomplete' };
const malformed: ProxyHeader = { kind: 'malformed' };

/** @param bytes the first ones of a connection; there may be more than the header */
export function parseProxyHeader(bytes: Buffer): ProxyHeader {
  if (beginsWith(bytes, V2_BEGINNING))
    return bytes.length < V2_BEGINNING.length ? incomplete : parseV2(bytes);
  if (beginsWith(bytes, V1_BEGINNING))
    return bytes.length < V1_BEGINNING.length ? incomplete : parseV1(bytes);
  return malformed;
}

/** Compares only the bytes that have arrived. */
function beginsWith(bytes: Buffer, beginning: Buffer): boolean {
  const length = Math.min(bytes.length, beginning.length);
  return bytes.subarray(0, length).equals(beginning.subarray(0, length));
}

function parseV1(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, V1_LIMIT_BYTES).indexOf('\r\n');
  if (end < 0) return bytes.length < V1_LIMIT_BYTES ? incomplete : malformed;
  const lengthBytes = end + 2;
  const [, family, source = '', target = '', ...ports] = bytes.toString('latin1', 0, end).split(' ');
  // what follows UNKNOWN has to be ignored
  if (family === 'UNKNOWN') return { kind: 'header', lengthBytes, address: undefined };
  const isOfFamily = (text: string) => text.includes(':') === (family === 'TCP6');
  const isKnown = (family === 'TCP4' || family === 'TCP6') && isOfFamily(source) && isOfFamily(target);
  const address = canonicalAddress(source);
  if (!isKnown || address === undefined || canonicalAddress(target) === undefined) return malformed;
  return ports.length === 2 && ports.every(isPort) ? { kind: 'header', lengthBytes, address } : malformed;
}

function isPort(text: string): boolean {
  return /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 0xff_ff;
}

function parseV2(bytes: Buffer): ProxyHeader {
  if (bytes.length < V2_FIXED_BYTES) return mayBeV2(bytes) ? incomplete : malformed;
  const followingBytes = bytes.readUInt16BE(14);
  if (!mayBeV2(bytes) || followingBytes > V2_LIMIT_BYTES) return malformed;
  const lengthBytes = V2_FIXED_BYTES + followingBytes;
  const addressBytes = addressLengths.get(bytes.readUInt8(13) >> 4) ?? 0;
  const isLocal = (bytes.readUInt8(12) & 0xf) === 0;
  if (!isLocal && followingBytes < addressBytes) return malformed;
  if (bytes.length < lengthBytes) return incomplete;
  return { kind: 'header', lengthBytes, address: isLocal ? undefined : addressV2(bytes) };
}

/** Source, target and their ports, by family: IPv4, IPv6, unix sockets. */
const addressLengths: ReadonlyMap<number, number> = new Map([
  [1, 12],
  [2, 36],
  [3, 216],
]);

/** Version 2; LOCAL or PROXY; a family and a protocol that there are. */
function mayBeV2(bytes: Buffer): boolean {
  const [command = 0x20, family = 0] = bytes.subarray(12, 14);
  return (command === 0x20 || command === 0x21) && family >> 4 <= 3 && (family & 0xf) <= 2;
}

function addressV2(bytes: Buffer): string | undefined {
  const family = bytes.readUInt8(13) >> 4;
  if (family === 1) return bytes.subarray(16, 20).join('.');
  if (family !== 2) return undefined;
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(16 + 2 * index).toString(16));
  return canonicalAddress(groups.join(':'));
}
