import { get } from 'node:http';
import { misplaced, type Origin } from '../support/self-describing.ts';

/** What a client that reads as fast as it can got for one GET on a connection of its own. */
export interface Probe {
  readonly path: string;
  /** When it was asked, in milliseconds of `performance.now()`. */
  readonly startedMs: number;
  readonly headMs: number;
  readonly status: number;
  readonly cache: string | undefined;
  readonly retryAfter: string | undefined;
  /** Of the content, as its entity tag tells. */
  readonly version: number | undefined;
  /** The first word of the body that is not what that version of the object holds there. */
  readonly wrong: string | undefined;
  /** Whether all that the head promises has come. */
  readonly isWhole: boolean;
}

/** Reads `path`, an object of words that describe themselves, and checks each word of it. */
export function probe(url: string, path: string, object: number): Promise<Probe> {
  const { promise, resolve, reject } = Promise.withResolvers<Probe>();
  const startedMs = performance.now();
  get(`${url}${path}`, { agent: false }, answer => {
    const headMs = performance.now() - startedMs;
    const { statusCode: status = 0, headers } = answer;
    const origin = originOf(headers.etag);
    let at = 0;
    let wrong = origin && origin.object !== object ? `the entity tag is ${headers.etag}` : undefined;
    answer.on('data', chunk => {
      if (origin) wrong ??= misplaced({ object, version: origin.version }, at, chunk);
      at += chunk.length;
    });
    answer.on('error', () => undefined);
    answer.on('close', () =>
      resolve({
        path,
        startedMs,
        headMs,
        status,
        cache: [headers['x-cache']].flat()[0],
        retryAfter: headers['retry-after'],
        version: origin?.version,
        wrong: status === 200 && !origin ? 'no entity tag of a content that describes itself' : wrong,
        isWhole: at === Number(headers['content-length']),
      }),
    );
  }).on('error', reject);
  return promise;
}

/** Whose content an entity tag of `describingContent` names. */
function originOf(entityTag: string | undefined): Origin | undefined {
  const [, object, version] = /^"described-(\d+)-(\d+)-/.exec(entityTag ?? '') ?? [];
  return object === undefined ? undefined : { object: Number(object), version: Number(version) };
}

/** How long `url` takes to be answered on a connection of its own. */
export function controlMs(url: string): Promise<number> {
  const startedMs = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  get(url, { agent: false }, answer => {
    answer.resume();
    resolve(performance.now() - startedMs);
  }).on('error', reject);
  return promise;
}
