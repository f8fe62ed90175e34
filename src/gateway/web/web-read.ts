import type { IncomingMessage } from 'node:http';
import type { ReadableRecord } from '../../cache/record.ts';
import { bounded } from '../../cache/record.ts';
import type { RequestDirectives } from '../../http/request-directives.ts';
import { type Vary, variantName } from '../../http/vary.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import type { RequestFields } from '../../s3/request-fields.ts';
import type { CachePolicy } from '../request/cache-policy.ts';
import type { Exchange } from '../request/exchange.ts';
import { heardDirectives, type ObjectRead } from '../request/object-read.ts';
import { fieldValue, outgoingFields } from './outgoing-fields.ts';
import type { WebAddress, WebBucket, WebTarget } from './web-target.ts';

/** What names the bytes of a web origin's answer. */
export type WebContentRead = Pick<ObjectRead, 'objectKey' | 'versionId' | 'variant' | 'policy' | 'trace'> & {
  readonly bucket: WebBucket;
  /** The request fields that selected the answer. */
  readonly selecting: readonly HeaderField[];
};

/** A web origin's answers have neither versions nor what else store requests name. */
const noVariant: ObjectRead['variant'] = {
  origin: undefined,
  expectedBucketOwner: undefined,
  requestPayer: undefined,
};

/** A request to a web origin. */
export class WebRead {
  readonly exchange: Exchange;
  readonly request: IncomingMessage;
  readonly fields: RequestFields;
  readonly address: WebAddress;
  readonly target: WebTarget;
  readonly policy: CachePolicy;
  readonly nowMs: number;
  /** What the client asks of the cache, where it is heard. */
  readonly directives: RequestDirectives | undefined;
  #sent: readonly HeaderField[] | undefined;
  /** Names of variants by the list of fields: most that are held of a target vary by the same. */
  readonly #variantNames = new Map<string, string>();

  constructor(
    exchange: Exchange,
    request: IncomingMessage,
    fields: RequestFields,
    address: WebAddress,
    target: WebTarget,
    nowMs: number,
  ) {
    this.exchange = exchange;
    this.request = request;
    this.fields = fields;
    this.address = address;
    this.target = target;
    this.policy = address.bucket.rulesFor(address.path).cache;
    this.nowMs = nowMs;
    this.directives = heardDirectives(this.policy, fields);
  }

  get bucket(): WebBucket {
    return this.address.bucket;
  }

  /** What the origin gets, made when it is first needed. */
  get sent(): readonly HeaderField[] {
    this.#sent ??= outgoingFields(this.request, this.address, this.exchange.trace !== undefined);
    return this.#sent;
  }

  /** Whether the answer may be one for its sender alone, although it does not say so. */
  get isPersonal(): boolean {
    return this.fields.authorization !== undefined || fieldValue(this.sent, 'cookie') !== undefined;
  }

  /** Names the answer that this request selects, among those that vary by `names`. */
  variantName(names: readonly string[]): string {
    if (names.length === 0) return '';
    const list = names.join();
    const known = this.#variantNames.get(list);
    if (known !== undefined) return known;
    const made = bounded(variantName(names, name => fieldValue(this.sent, name)));
    this.#variantNames.set(list, made);
    return made;
  }

  /** Whether `record` answers a request like this one (RFC 9111 §4.1). @param name of the record */
  selects({ answer }: ReadableRecord, name: string): boolean {
    return answer !== undefined && this.variantName(answer.vary) === name;
  }

  /** For the content of an answer that varies so. */
  contentRead(vary: Vary): WebContentRead {
    const { bucket, policy, target, exchange } = this;
    const selecting = this.sent.filter(
      ({ name }) => vary !== '*' && vary.includes(name) && !secret.has(name),
    );
    const { trace } = exchange;
    return {
      ...{ objectKey: target.key, versionId: undefined, variant: noVariant, bucket, policy, selecting },
      ...(trace && { trace }),
    };
  }
}

/** One client's credentials are not used for others. */
const secret: ReadonlySet<string> = new Set(['authorization', 'cookie']);
