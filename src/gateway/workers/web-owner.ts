import type { ReadableRecord } from '../../cache/record.ts';
import { DesertedError } from '../fill/fill-error.ts';
import type { Warmed } from '../read/warmed.ts';
import type { Configurations } from '../request/configurations.ts';
import { WebRead } from '../web/web-read.ts';
import type { WebReads } from '../web/web-reads.ts';
import { isWeb, type WebBucket } from '../web/web-target.ts';
import type { WireObject } from './messages.ts';
import type { PeerLink } from './peer-link.ts';
import { UnknownBucketError } from './peer-server.ts';
import { RemoteClient } from './remote-client.ts';
import type { ToldContents } from './told-contents.ts';
import type { WebCalls, WebNotices, WireWebEnd, WireWebPage, WireWebRead } from './web-messages.ts';

type OwnersProcedures = WebCalls & Pick<WebNotices, 'webGone' | 'webPaced' | 'webForget' | 'webRestFailed'>;

/** Serves one other worker's reads of names that are owned here. */
export class WebOwner {
  readonly #link: PeerLink;
  readonly #reads: WebReads;
  readonly #configurations: Pick<Configurations, 'bucketOf'>;
  readonly #told: ToldContents;
  readonly #clients = new Map<number, RemoteClient>();
  /** Pages that the other worker wants held. */
  readonly #warming = new Map<number, AbortController>();

  constructor(
    link: PeerLink,
    reads: WebReads,
    configurations: Pick<Configurations, 'bucketOf'>,
    told: ToldContents,
  ) {
    this.#link = link;
    this.#reads = reads;
    this.#configurations = configurations;
    this.#told = told;
  }

  /** What the other worker may call. */
  get procedures(): OwnersProcedures {
    return {
      webRead: wire => this.#read(wire),
      webWarm: wire => this.#warm(wire),
      webGone: number => {
        this.#clients.get(number)?.gone();
        this.#warming.get(number)?.abort(new DesertedError());
      },
      webPaced: ({ number, pace }) => this.#clients.get(number)?.keepPace(pace),
      webForget: content => this.#forget(content),
      webRestFailed: name => {
        const bucket = this.#bucketOf(name);
        if (bucket) this.#reads.restFailed({ bucket, target: { key: name.objectKey } });
      },
    };
  }

  /** The other worker has ended. */
  disconnected(): void {
    for (const client of [...this.#clients.values()]) client.gone();
    for (const leaving of this.#warming.values()) leaving.abort(new DesertedError());
  }

  /** What was made by the rules of one configuration is asked for by these: another may send less, or keep more of it for all. */
  async #read({ number, bucketName, place, request, sent, isAnew, quota }: WireWebRead): Promise<WireWebEnd> {
    const bucket = this.#bucketOf({ bucketName, objectKey: request.target.key }, place);
    if (!bucket) throw new UnknownBucketError(bucketName);
    return new Promise(ended => {
      const encode = (record: ReadableRecord) => this.#told.record(record, undefined);
      const tell = (read: WebRead, record: ReadableRecord) => this.#reads.tell(read, record);
      const client = new RemoteClient({ number, quota, link: this.#link, encode, tell, ended });
      this.#clients.set(number, client);
      client.whenGone(() => this.#clients.delete(number));
      const address = { ...request.address, bucket };
      const read = new WebRead({ ...request, address }, client, () => sent);
      read.attempt(() => (isAnew ? this.#reads.askAnew(read) : this.#reads.serve(read)));
    });
  }

  async #warm({ number, place, key, ...object }: WireWebPage): Promise<Warmed> {
    const bucket = this.#bucketOf(object, place);
    if (!bucket) throw new UnknownBucketError(object.bucketName);
    const leaving = new AbortController();
    this.#warming.set(number, leaving);
    try {
      return await this.#reads.warm({ bucket, key }, leaving.signal);
    } finally {
      this.#warming.delete(number);
    }
  }

  #forget({ contentId, ...object }: WireObject & { readonly contentId: number }): void {
    const bucket = this.#bucketOf(object);
    if (bucket) this.#reads.forgetContent({ bucket, target: { key: object.objectKey } }, contentId);
  }

  #bucketOf({ bucketName, objectKey }: WireObject, place?: string): WebBucket | undefined {
    const bucket = this.#configurations.bucketOf(bucketName, objectKey, place);
    return bucket && isWeb(bucket) ? bucket : undefined;
  }
}
