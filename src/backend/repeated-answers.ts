import type { AnsweringConnection } from '../transport/expected-body.ts';

/** The fields by which stores number their answers. */
const idNames = new Set(['x-amz-request-id', 'x-store-request-id']);

interface LastAnswer {
  readonly target: string;
  readonly status: number;
  readonly headers: readonly string[];
}

const last = new WeakMap<AnsweringConnection, LastAnswer>();

/**
 * Whether a numbered answer is that of the request before on its connection, sent a second time: it would be taken for that of this
 * one, and each that follows for that of the next. Nothing else tells it from the right one, and what arrives before the next request
 * is sent undici notices itself. Stores that have one number for all answers may give two objects of one content equal heads: then the
 * connection is lost for nothing.
 *
 * @param target what was asked for
 */
export function isRepeated(
  connection: AnsweringConnection,
  target: string,
  status: number,
  headers: readonly string[],
): boolean {
  const before = last.get(connection);
  if (headers.some((name, index) => index % 2 === 0 && idNames.has(name.toLowerCase())))
    last.set(connection, { target, status, headers });
  else last.delete(connection);
  if (!before || before.target === target || before.status !== status) return false;
  return (
    before.headers.length === headers.length && headers.every((text, index) => text === before.headers[index])
  );
}
