import type { HeaderPrefix } from '../../../src/s3/dialect.ts';

/** What the client speaks, and what the gateway and the store speak with each other. */
export interface Dialects {
  readonly client: HeaderPrefix;
  readonly store: HeaderPrefix;
  /** Between client and gateway. Default: HTTP/1.1. */
  readonly over?: 'HTTP/1.1' | 'HTTP/2';
}

/** Each dialect in front of the other, and one of the pairs over HTTP/2. */
export const crossedDialects: readonly Dialects[] = [
  { client: 'x-amz-', store: 'x-store-', over: 'HTTP/1.1' },
  { client: 'x-store-', store: 'x-amz-', over: 'HTTP/1.1' },
  { client: 'x-amz-', store: 'x-store-', over: 'HTTP/2' },
];

/** The same dialect on both sides. */
export const amazon: Dialects = { client: 'x-amz-', store: 'x-amz-' };

/** What HTTP/2 cannot express, so that its cases are for HTTP/1.1 alone. All others are put over both. */
const onlyOverHttp1 = {
  'absolute form': 'a path has no scheme and host: they have fields of their own (RFC 9113 §8.3.1)',
  'plain HTTP': 'the gateway offers HTTP/2 over TLS alone',
  // methods.test.ts, requests with a body: the bytes of HTTP/1.1 themselves
  'raw bytes': 'framing, pipelining and the end of a connection are those of HTTP/1.1',
} as const;

/** Whether cases that need `what` can be put. */
export function canExpress({ over }: Dialects, what: keyof typeof onlyOverHttp1): boolean {
  return over !== 'HTTP/2' || !(what in onlyOverHttp1);
}
