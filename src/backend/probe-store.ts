import { randomUUID } from 'node:crypto';
import type { HeaderField } from '../s3/dialect.ts';
import { parseErrorBody } from '../s3/error-body.ts';
import { isErrorCode } from '../s3/error-codes.ts';
import { pathKeyProblem } from '../s3/path-key.ts';
import { isElement, readXml, textOf } from '../s3/xml-reader.ts';
import { sendAndCollect } from './collected-reply.ts';
import { healthRequest } from './health-request.ts';
import type { OriginStore } from './origin-store.ts';
import { httpField, type Store, StoreError, storeField, type WholeReply } from './store.ts';

/** The result of probing a store. */
export type ProbeResult =
  /** The store treats all spellings of `key` as different keys. */
  | { readonly kind: 'exact'; readonly key: string }
  /** The store treats `alias` as `key`, or refuses to read it. */
  | { readonly kind: 'path'; readonly key: string; readonly alias: string }
  | { readonly kind: 'unknown'; readonly why: string }
  /** The store refused a request for `bucket`; undefined when the request listed the buckets. */
  | {
      readonly kind: 'refused';
      readonly bucket: string | undefined;
      readonly asked: string;
      readonly status: number;
      readonly code: string | undefined;
      /** The answer could have no body to tell a code in. */
      readonly isHead?: true;
      /** Where the bucket is, or what the signature has to name, if the answer tells. */
      readonly region?: string;
    }
  /**
   * Whether the store answers the question that its circuit breaker asks, see `StoreQuestion`; `how` is the status of the
   * answer, or the name of an error.
   */
  | { readonly kind: 'questioned'; readonly asked: string; readonly isAlive: boolean; readonly how: string }
  /** There are credentials; left out where they are in the configuration, or none. */
  | { readonly kind: 'signed'; readonly source: string; readonly expiresAtMs: number | undefined }
  /** Their source gave none, so the store was not asked. */
  | { readonly kind: 'unsigned'; readonly source: string; readonly cause: string; readonly why: string }
  /** `cause` is the name of an error, see `causeName`. */
  | { readonly kind: 'unreachable'; readonly cause: string; readonly why: string };

type Refusal = Extract<ProbeResult, { kind: 'refused' }>;

/** Where to look for an object: a bucket at the store and a key prefix. */
interface ProbePlace {
  readonly bucket: string;
  readonly keyPrefix: string;
  /** What rules give to requests for a key at the store; left out: to those that name none. */
  fieldsFor(key?: string): readonly HeaderField[];
}

const listingLimits = { length: 4 * 1024 * 1024, depth: 16, nodes: 80_000, memberLength: 16 * 1024 };

const whichBuckets = 'the question which buckets there are';

/** Spellings of a key that a store which treats keys as paths takes for the same object. */
const spellings: readonly ((key: string) => string)[] = [
  key => `./${key}`,
  key => `/${key}`,
  key => `tidegate-check/../${key}`,
  key => key.replace('/', '//'),
  key => key.replace('/', '/./'),
  key => `${key}/.`,
];

/**
 * Asks a store, by HEAD, for other spellings of a key that exists. Nothing is written and no object is read. Never
 * rejects.
 */
export async function probeStore(
  store: Store,
  place: ProbePlace,
  signal?: AbortSignal,
): Promise<ProbeResult> {
  const ask = askWithin(signal, place);
  try {
    const listing = await ask(store, 'GET', place.bucket, undefined, listingQuery(place));
    if (listing.status !== 200) return refusedBy(listing, 'a listing', place.bucket);
    const keys = keysIn(listing).filter(key => pathKeyProblem(key) === undefined && !key.endsWith('/'));
    // a key in a folder has more spellings
    const key = keys.find(each => each.includes('/')) ?? keys[0];
    if (key === undefined)
      return { kind: 'unknown', why: `there is no object in ${place.bucket} to ask for` };
    return await probeKey(store, place.bucket, key, ask);
  } catch (error) {
    return unreachable(error);
  }
}

/** Whether a store answers, for a store without a configured bucket. Never rejects. */
export async function probeReach(
  store: Store & Pick<OriginStore, 'asked'>,
  signal?: AbortSignal,
): Promise<ProbeResult> {
  try {
    const ask = askWithin(signal, { fieldsFor: () => store.asked.fields });
    const reply = await ask(store, 'GET', undefined, undefined, '');
    if (reply.status >= 400 && reply.status !== 403) return refusedBy(reply, whichBuckets, undefined);
    return { kind: 'unknown', why: 'the configuration names no bucket there' };
  } catch (error) {
    return unreachable(error);
  }
}

/** Whether a store answers what its circuit breaker asks. Never rejects. */
export function probeQuestion(store: Asked): Promise<ProbeResult> {
  const { bucket } = store.asked;
  return ask(store, bucket === undefined ? whichBuckets : `HEAD of the bucket ${JSON.stringify(bucket)}`);
}

/** The same of a web origin, of which nothing else can be asked. Never rejects. */
export function probeOrigin(origin: Asked): Promise<ProbeResult> {
  return ask(origin, `${healthRequest(origin.asked).method} /`);
}

type Asked = Pick<OriginStore, 'ask' | 'asked'>;

/** @param asked the question in words */
function ask(store: Asked, asked: string): Promise<ProbeResult> {
  return new Promise(resolve =>
    store.ask((isAlive, how) => resolve({ kind: 'questioned', asked, isAlive, how })),
  );
}

async function probeKey(store: Store, bucket: string, key: string, ask: Ask): Promise<ProbeResult> {
  const head = (asked: string) => ask(store, 'HEAD', bucket, asked, '');
  const plain = await head(key);
  if (plain.status !== 200) return { ...refusedBy(plain, `HEAD of "${key}"`, bucket), isHead: true };
  const missing = await head(`${key}.${randomUUID()}`);
  if (missing.status !== 404 && missing.status !== 403)
    return { ...refusedBy(missing, 'HEAD of a key that is not there', bucket), isHead: true };
  for (const spell of spellings) {
    const alias = spell(key);
    if (alias === key) continue;
    const reply = await head(alias);
    // stores of files answer 400 to a path that leaves a folder (docs/semantics.md 225)
    if (isSameObject(reply, plain) || reply.status === 400) return { kind: 'path', key, alias };
    if (reply.status !== missing.status && reply.status !== 200) {
      return { kind: 'unknown', why: `it answers ${reply.status} to HEAD of "${alias}"` };
    }
  }
  return { kind: 'exact', key };
}

function isSameObject(reply: WholeReply, plain: WholeReply): boolean {
  const same = (name: string) => httpField(reply, name) === httpField(plain, name);
  return reply.status === 200 && ['etag', 'content-length', 'last-modified'].every(same);
}

function listingQuery({ keyPrefix }: ProbePlace): string {
  const prefix = keyPrefix === '' ? '' : `&prefix=${encodeURIComponent(keyPrefix)}`;
  return `list-type=2&max-keys=1000${prefix}`;
}

function keysIn({ body }: WholeReply): readonly string[] {
  const root = readXml(body.toString(), listingLimits);
  const listed = root?.children.filter(isElement).filter(({ name }) => name === 'Contents') ?? [];
  return listed
    .flatMap(({ children }) => children.filter(isElement).filter(({ name }) => name === 'Key'))
    .map(textOf);
}

type Ask = (
  store: Store,
  method: string,
  bucket: string | undefined,
  key: string | undefined,
  query: string,
) => Promise<WholeReply>;

/** Questions that are given up when `signal` aborts. */
function askWithin(signal: AbortSignal | undefined, { fieldsFor }: Pick<ProbePlace, 'fieldsFor'>): Ask {
  return (store, method, bucket, key, query) =>
    sendAndCollect(
      store,
      { method, bucket, key, query, fields: fieldsFor(key) },
      { limitBytes: listingLimits.length },
      signal,
    );
}

function refusedBy(reply: WholeReply, asked: string, bucket: string | undefined): Refusal {
  const error = parseErrorBody(reply.body);
  const told = error?.fields.find(([name]) => name === 'Region')?.[1] ?? storeField(reply, 'bucket-region');
  const region = told !== undefined && regionName.test(told) ? { region: told } : {};
  // what is no code may be anything that was sent to it
  const isCode = error && (isErrorCode(error.code) || otherCode.test(error.code));
  const code = isCode ? error.code : undefined;
  return { kind: 'refused', bucket, asked, status: reply.status, code, ...region };
}

const regionName = /^[\w-]{1,64}$/;
/** Signatures, and keys that are drawn at random, have digits. */
const otherCode = /^[A-Za-z.]{1,48}$/;

function unreachable(error: unknown): ProbeResult {
  if (!(error instanceof StoreError))
    return { kind: 'unreachable', cause: 'TIMEOUT', why: 'it did not answer all questions in time' };
  const { message, reason, detail } = error;
  return {
    kind: 'unreachable',
    cause: reason,
    why: detail === undefined ? message : `${message}: ${detail}`,
  };
}
