import { z } from 'zod';
import { host, listOf, map, notBuilt, port } from './scalars.ts';

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

const listener = map({
  host: host().optional(),
  port: port().optional(),
  path: path.optional(),
  mode: mode.optional(),
  tls: notBuilt('TLS'),
})
  .check(({ value, issues }) => {
    const rejected = value.path === undefined ? (['mode'] as const) : (['host', 'port'] as const);
    for (const key of rejected) {
      if (value[key] === undefined) continue;
      const message = key === 'mode' ? 'nothing without path' : 'nothing beside path, which is a unix socket';
      issues.push({ code: 'custom', path: [key], message, input: value[key] });
    }
  })
  .transform(({ host = '127.0.0.1', port = 8080, path, mode = 0o660 }) =>
    path === undefined ? ({ kind: 'tcp', host, port } as const) : ({ kind: 'unix', path, mode } as const),
  );

/** `listen`: one address, or a list of them; gives a list. */
export const listenSchema = z.union(
  [
    listener.transform(each => [each]),
    listOf(listener, 'addresses').min(1, { error: 'at least one address, such as { port: 8080 }' }),
  ],
  { error: 'a map of host, port, tls, or of path, mode, or a list of such maps' },
);
