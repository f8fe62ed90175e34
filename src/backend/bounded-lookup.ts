import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** `node:dns` gives no addresses with an error. */
type Answer = (error: NodeJS.ErrnoException | null, addresses?: LookupAddress[]) => void;

/** Finds all addresses of a host. */
export type FindAddresses = (host: string, answer: Answer) => void;

const findAddresses: FindAddresses = (host, answer) => lookup(host, { all: true }, answer);

/**
 * Look-ups of host names, few at the same time: the system does them in the threads that files are read in as well, and
 * a name that a client has made up may take seconds. A host is looked up once for all who ask meanwhile; when more than
 * `waitingLimit` hosts wait, a look-up fails as if there were no answer now.
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
