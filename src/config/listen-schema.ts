import { z } from 'zod';
import { parseNetwork } from '../server/trusted-proxies.ts';
import { choice, flag, host, listOf, map, port, text } from './scalars.ts';

/** Longer ones do not fit into the address of a socket while they have another name (unix(7): 108 bytes). */
const LONGEST_PATH_BYTES = 90;

const path = z
  .string({ error: 'the absolute path of a unix socket' })
  .refine(value => value.startsWith('/') && Buffer.byteLength(value) <= LONGEST_PATH_BYTES, {
    error: `the absolute path of a unix socket, of ${LONGEST_PATH_BYTES} bytes at most`,
  });

/** A number would be ambiguous: YAML reads 0660 as decimal, and 0o660 as 432. */
const mode = z
  .string({ error: 'permissions in quotes, such as "0660"' })
  .regex(/^0?[0-7]{3}$/, { error: 'permissions in quotes, such as "0660"' })
  .transform(digits => Number.parseInt(digits, 8));

const serverName = z
  .string({ error: 'a server name such as s3.example.test or *.s3.example.test' })
  .regex(/^(?:\*\.)?[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/, {
    error: 'a server name such as s3.example.test or *.s3.example.test',
  });

/** What holds without these keys. Filled in last: until then it matters whether they are there. */
const unset = {
  host: '127.0.0.1',
  port: 8080,
  mode: 0o660,
  http2: true,
  clientCertificates: 'required',
} as const;

const certificate = map({
  cert: text('the path of a certificate in PEM form'),
  key: text('the path of its private key in PEM form'),
  names: listOf(serverName, 'server names').optional().meta({ otherwise: 'those in the certificate' }),
});

/** One certificate, or a list; gives a list. */
const tls = z.union(
  [
    certificate.transform(each => [each]),
    listOf(certificate, 'certificates').min(1, { error: 'at least one certificate, such as { cert, key }' }),
  ],
  { error: 'a map of cert, key, names, or a list of such maps' },
);

const network = z
  .string({ error: 'a network such as 10.0.0.0/8 or 2001:db8::/32, or an address' })
  .refine(value => parseNetwork(value) !== undefined, {
    error: 'a network such as 10.0.0.0/8 or 2001:db8::/32, or an address',
  });

interface PlainListener {
  readonly kind: 'tcp';
  readonly host: string;
  readonly port: number;
  readonly tls?: undefined;
  readonly trustedProxies?: readonly string[];
  readonly proxyProtocol?: true;
}

const listener = map({
  host: host().optional().meta({ fallback: unset.host }),
  port: port().optional().meta({ fallback: unset.port }),
  path: path.optional(),
  mode: mode.optional().meta({ fallback: `"0${unset.mode.toString(8)}"` }),
  tls: tls.optional(),
  http2: flag().optional().meta({ fallback: unset.http2 }),
  clientCa: text('the path of the authorities of client certificates in PEM form').optional(),
  clientCertificates: choice(['required', 'optional'])
    .optional()
    .meta({ fallback: unset.clientCertificates }),
  trustedProxies: listOf(network, 'networks').min(1, { error: 'at least one network' }).optional(),
  proxyProtocol: flag().optional().meta({ fallback: false }),
})
  .check(({ value, issues }) => {
    for (const [key, message] of misplaced(value)) {
      if (value[key] === undefined) continue;
      issues.push({ code: 'custom', path: [key], message, input: value[key] });
    }
  })
  .transform(({ host = unset.host, port = unset.port, path, mode = unset.mode, tls, ...others }) => {
    const { trustedProxies, proxyProtocol, ...ofTls } = others;
    const proxies = { ...(trustedProxies && { trustedProxies }), ...(proxyProtocol && { proxyProtocol }) };
    if (path !== undefined) return { kind: 'unix', path, mode, ...proxies } as const;
    const plain: PlainListener = { kind: 'tcp', host, port, ...proxies };
    if (!tls) return plain;
    const { http2 = unset.http2, clientCa, clientCertificates = unset.clientCertificates } = ofTls;
    const files = { certificates: tls, http2, clientCa, clientCertificates };
    return { kind: 'tcp', host, port, ...proxies, tls: files } as const;
  });

type ListenerKey =
  | 'host'
  | 'port'
  | 'mode'
  | 'tls'
  | 'http2'
  | 'clientCa'
  | 'clientCertificates'
  | 'proxyProtocol';

/** The keys that decide which others may stand beside them. */
interface DecidingKeys {
  readonly path?: unknown;
  readonly tls?: unknown;
  readonly clientCa?: unknown;
  readonly trustedProxies?: unknown;
}

const notOfSockets = ['host', 'port', 'tls', 'http2', 'clientCa', 'clientCertificates'] as const;

/** The keys that must be absent, and what may stand there. */
function misplaced({ path, tls, clientCa, trustedProxies }: DecidingKeys): readonly [ListenerKey, string][] {
  const found: [ListenerKey, string][] = [];
  if (trustedProxies === undefined)
    found.push(['proxyProtocol', 'nothing without trustedProxies, which says whose headers count']);
  if (path !== undefined)
    return [
      ...found,
      ...notOfSockets.map(
        key => [key, 'nothing beside path, which is a unix socket'] as [ListenerKey, string],
      ),
    ];
  found.push(['mode', 'nothing without path']);
  if (tls === undefined) found.push(['http2', 'nothing without tls'], ['clientCa', 'nothing without tls']);
  if (clientCa === undefined) found.push(['clientCertificates', 'nothing without clientCa']);
  return found;
}

/** `listen`: one address, or a list of them; gives a list. */
export const listenSchema = z.union(
  [
    listener.transform(each => [each]),
    listOf(listener, 'addresses').min(1, { error: 'at least one address, such as { port: 8080 }' }),
  ],
  {
    error: 'a map of host, port, tls, or of path, mode, or a list of such maps',
  },
);
