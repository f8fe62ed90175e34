import type { Caller } from '../../src/gateway/request/access.ts';

/** A client whose signature covers no body. */
export function clientCalled(accessKeyId: string): Caller {
  return { kind: 'client', accessKeyId, payload: { kind: 'unsigned' } };
}
