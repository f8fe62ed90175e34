import {
  type Store,
  type StoreCall,
  StoreError,
  type StoreReceiver,
  type StoreRequest,
} from '../../src/backend/store.ts';
import { httpHeader } from './asked-ranges.ts';
import { describingBytes, type Origin } from './self-describing.ts';

/** How a store behaves towards one object. */
export interface ScriptedObject {
  readonly sizeBytes: number;
  /** How many of its answers, in turn, take no notice of a range. */
  readonly ignoresRange: 'never' | 'always' | 'every other';
  readonly ignoresIfMatch: boolean;
  /** It was uploaded in parts of this length. */
  readonly partBytes: number;
  /** Parts are sent with 200 and without Content-Range, as Ceph does. */
  readonly hidesPartRange?: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** One content of an object: the bytes are those of its `originOf`. */
interface Version extends ScriptedObject {
  readonly entityTag: string;
  readonly number: number;
}

/** How far a body has been sent. */
interface Sending {
  readonly version: Version;
  position: number;
  readonly end: number;
}

/** What version `version` of an object holds. */
export function originOf(key: string, version: number): Origin {
  return { object: key.charCodeAt(0), version };
}

/** The number of the version that an entity tag of a scripted store names. */
export function versionOf(entityTag: string | undefined): number {
  return Number(/-(\d+)"$/.exec(entityTag ?? '')?.[1] ?? Number.NaN);
}

/**
 * A store without a socket, whose every step is taken by a test: requests wait until it lets them be answered, byte by
 * byte. A transfer that has begun goes on with the content that it began with.
 */
export class ScriptedStore implements Store {
  readonly name = 'main';
  readonly identity = 'main';
  /** Answers each HEAD with 403. */
  refusesHead = false;
  readonly #versions = new Map<string, Version>();
  #calls: ScriptedCall[] = [];
  #made = 0;
  #asked = 0;

  /** Requests that are neither over nor given up. */
  get open(): readonly ScriptedCall[] {
    this.#calls = this.#calls.filter(call => !call.isOver);
    return this.#calls;
  }

  /** A new content for `key`; its version. */
  put(key: string, object: ScriptedObject): number {
    const number = ++this.#made;
    this.#versions.set(key, { ...object, number, entityTag: `"${key}-${number}"` });
    return number;
  }

  /** From now on there is no `key`. */
  remove(key: string): void {
    this.#versions.delete(key);
    this.#made++;
  }

  /** The version of `key` that there is now. */
  current(key: string): number {
    return this.#versions.get(key)?.number ?? 0;
  }

  send(request: StoreRequest, receiver: StoreReceiver): StoreCall {
    const isOdd = ++this.#asked % 2 === 1;
    const call = new ScriptedCall(request, receiver, isOdd, () => this.#versions.get(request.key ?? ''));
    if (this.refusesHead && request.method === 'HEAD') call.refuseWith = 403;
    this.#calls.push(call);
    return call;
  }

  mayRetry(): boolean {
    return true;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** One request under way. */
export class ScriptedCall implements StoreCall {
  readonly #request: StoreRequest;
  readonly #receiver: StoreReceiver;
  readonly #isOdd: boolean;
  readonly #now: () => Version | undefined;
  #sending: Sending | undefined;
  #isPaused = false;
  isOver = false;
  /** The status of a refusal that is its answer, whatever the object is. */
  refuseWith: number | undefined;

  constructor(
    request: StoreRequest,
    receiver: StoreReceiver,
    isOdd: boolean,
    now: () => Version | undefined,
  ) {
    this.#isOdd = isOdd;
    this.#request = request;
    this.#receiver = receiver;
    this.#now = now;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  took(): void {
    // no calls wait for this store
  }

  abort(): void {
    this.isOver = true;
  }

  /** Sends what is next: the head, then bytes, `lengthBytes` at the most, then the end. */
  step(lengthBytes: number): void {
    if (this.isOver || this.#isPaused) return;
    if (!this.#sending) this.#answer();
    else if (this.#sending.position < this.#sending.end) this.#send(this.#sending, lengthBytes);
    else this.#finish();
  }

  breakOff(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#receiver.failed(new StoreError('BROKEN', 'cut', undefined));
  }

  #answer(): void {
    const version = this.#now();
    const ifMatch = this.#field('if-match');
    if (this.refuseWith !== undefined) this.#refuse(this.refuseWith, '');
    else if (!version) this.#refuse(404, '<Error><Code>NoSuchKey</Code></Error>');
    else if (ifMatch !== undefined && ifMatch !== version.entityTag && !version.ignoresIfMatch)
      this.#refuse(412, '');
    else this.#begin(version);
  }

  #begin(version: Version): void {
    const { sizeBytes } = version;
    const ignoresRange =
      version.ignoresRange === 'always' || (version.ignoresRange === 'every other' && this.#isOdd);
    const part = this.#part(version);
    const isRanged = this.#field('range') !== undefined && !ignoresRange;
    const isPartial = (part !== undefined && !version.hidesPartRange) || isRanged;
    const { first, end } = part ?? (isRanged ? this.#range(sizeBytes) : { first: 0, end: sizeBytes });
    if (first >= sizeBytes) {
      this.#refuse(416, '');
      return;
    }
    const headers = {
      ...version.headers,
      etag: version.entityTag,
      'content-length': String(end - first),
      ...(isPartial && { 'content-range': `bytes ${first}-${end - 1}/${sizeBytes}` }),
    };
    const fields = Object.entries(headers).map(([name, value]) => httpHeader(name, value));
    this.#sending = { version, position: first, end: this.#request.method === 'HEAD' ? first : end };
    this.#receiver.answered({ status: isPartial ? 206 : 200, fields });
  }

  #part({ partBytes, sizeBytes }: Version) {
    const number = /(?:^|&)partNumber=(\d+)/.exec(this.#request.query)?.[1];
    if (number === undefined) return undefined;
    const first = (Number(number) - 1) * partBytes;
    return { first, end: Math.min(first + partBytes, sizeBytes) };
  }

  #range(sizeBytes: number): { readonly first: number; readonly end: number } {
    const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(this.#field('range') ?? '') ?? [];
    if (from === '') return { first: Math.max(0, sizeBytes - Number(to)), end: sizeBytes };
    return { first: Number(from), end: Math.min(Number(to) + 1, sizeBytes) };
  }

  #send(sending: Sending, lengthBytes: number): void {
    const { version, position } = sending;
    const until = Math.min(position + lengthBytes, sending.end);
    const chunk = describingBytes(originOf(this.#request.key ?? '', version.number), position, until);
    sending.position = until;
    this.#receiver.arrived(chunk);
    // the memory is the receiver's only during the call
    chunk.fill(0xee);
  }

  #refuse(status: number, body: string): void {
    this.#receiver.answered({ status, fields: [] });
    if (body !== '' && this.#request.method !== 'HEAD' && !this.isOver)
      this.#receiver.arrived(Buffer.from(body));
    this.#finish();
  }

  #finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#receiver.ended();
  }

  #field(name: string): string | undefined {
    return this.#request.fields.find(field => !field.store && field.name === name)?.value;
  }
}
