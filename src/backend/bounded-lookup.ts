import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** On an error `node:dns` passes no addresses. */
type Answer = (error: NodeJS.ErrnoException | null, addresses?: LookupAddress[]) => void;

/** Resolves a host to all its addresses. */
export type FindAddresses = (host: string, answer: Answer) => void;

const findAddresses: FindAddresses = (host, answer) => lookup(host, { all: true }, answer);

/**
 * DNS look-ups with a concurrency limit. `getaddrinfo` runs in the libuv thread pool that file reads use too, and a
 * name made up by a client may take seconds. Concurrent look-ups of one host share one call. When more than
 * `waitingLimit` hosts are queued, a look-up fails with `EAI_AGAIN`.
 */
export function boundedLookup(
  atOnce: number,
  waitingLimit: number,
  find: FindAddresses = findAddresses,
): LookupFunction {
  const asking = new Map<string, Answer[]>();
  const waiting: string[] = [];
  let running = 0;

  const next = () => {
    const host = running < atOnce ? waiting.shift() : undefined;
    if (host === undefined) return;
    running++;
    find(host, (error, addresses) => {
      running--;
      const answers = asking.get(host) ?? [];
      asking.delete(host);
      next();
      for (const answer of answers) answer(error, addresses);
    });
  };

  const ask = (host: string, answer: Answer) => {
    const others = asking.get(host);
    if (others) {
      others.push(answer);
      return;
    }
    if (waiting.length >= waitingLimit) {
      process.nextTick(answer, Object.assign(new Error('too many look-ups'), { code: 'EAI_AGAIN' }));
      return;
    }
    asking.set(host, [answer]);
    waiting.push(host);
    next();
  };

  return (host, options, callback) =>
    ask(host, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !addresses || !first)
        callback(error ?? Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
}
