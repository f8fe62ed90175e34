import type { IncomingMessage } from 'node:http';
import { isGetOrHead } from '../../http/get-or-head.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { s3Error } from '../../s3/error.ts';
import type { RequestFields } from '../../s3/request-fields.ts';
import { schemeOf } from '../../transport/peer.ts';
import { letContinue } from '../../transport/request-bodies.ts';
import { redirect } from '../read/website.ts';
import { sendWhole } from '../reply/error-reply.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import { answerPreflight } from '../reply/preflight-reply.ts';
import { Representations } from '../reply/representations.ts';
import { answeredForServer, CacheReports } from '../request/cache-status.ts';
import type { Exchange } from '../request/exchange.ts';
import type { KeyRules } from '../request/key-rules.ts';
import { demandAsIs, mayDemandMade, mayResumeMade, sentAsIs } from '../request/made-tags.ts';
import { Collections } from './collected-body.ts';
import { unconditionalFields } from './confirmation.ts';
import { type AnswerParts, LocalClient } from './local-client.ts';
import { forwardsLeft, outgoingFields } from './outgoing-fields.ts';
import { passedBodyOf } from './passed-request-body.ts';
import { noFields, type WebClient, type WebFields, WebRead, type WebSource } from './web-read.ts';
import type { WebReads } from './web-reads.ts';
import { documentOf, isServerAsWhole, targetProblem, type WebAddress, webTarget } from './web-target.ts';
import { slashOfBucket, type VisitParts, WebsiteVisit } from './website-visit.ts';

const ofRanges: ReadonlySet<string> = new Set(['range', 'if-range']);

/** Methods that are told apart in metrics; clients choose others. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);

const allow = ['Allow', [...knownMethods].join(', ')] as const;

/** Where GET and HEAD are answered. */
export interface WebSources {
  /** By the hash of what they name. */
  webSourceOf(keyHash: number): WebSource;
}

/** Where clients' requests to web origins enter a worker. */
export class WebServer {
  readonly #parts: AnswerParts;
  readonly #sources: WebSources;
  readonly #own: WebReads;

  /** @param own this worker's, which passes on other requests */
  constructor(observer: ExchangeObserver, sources: WebSources, own: WebReads) {
    this.#parts = {
      observer,
      reports: new CacheReports(),
      copies: new Collections(),
      representations: new Representations(),
    };
    this.#sources = sources;
    this.#own = own;
  }

  /**
   * A fresh stored answer is given in this turn of the event loop.
   *
   * @throws S3Error for what is not passed to any origin
   */
  serve(
    exchange: Exchange,
    request: IncomingMessage,
    fields: RequestFields,
    address: WebAddress,
    nowMs: number,
  ): void {
    const { bucket } = address;
    const { method, trace } = exchange;
    const isRead = isGetOrHead(method);
    const asked = isRead ? documentOf(address) : address;
    const operation = knownMethods.has(method) ? method : 'OTHER';
    exchange.isPlain = true;
    exchange.bucket = bucket.label;
    exchange.backend = bucket.store.name;
    exchange.key = address.path;
    exchange.operation = operation;
    // a preflight is about what is read after it
    const rules = bucket.rulesFor(method === 'OPTIONS' ? documentOf(address).path : asked.path);
    if (rules.answers) exchange.ruleBy(rules.answers, fields.origin);
    const isOfServer = method === 'OPTIONS' && isServerAsWhole(exchange.url);
    const problem = targetProblem(isOfServer ? { ...asked, path: '/' } : asked);
    if (problem !== undefined) throw s3Error('InvalidURI', { reason: problem });
    const isForGateway = isOfServer || forwardsLeft(request) === 0;
    // neither means anything to who is behind a cache (RFC 9110 §9.3.6, §9.3.8)
    if (method === 'CONNECT' || method === 'TRACE') throw s3Error('MethodNotAllowed', { headers: [allow] });
    // the server is the gateway: of an origin only what is below the prefix of the bucket may be asked
    if (isForGateway) {
      exchange.report = answeredForServer;
      sendWhole(exchange, 204, allow, Buffer.alloc(0), exchange, undefined);
      this.#parts.observer.sent(exchange);
      return;
    }
    if (method === 'OPTIONS' && answerPreflight(exchange, request)) {
      this.#parts.observer.sent(exchange);
      return;
    }
    const scheme = schemeOf(request);
    const described = { method, operation, scheme, nowMs, trace };
    const isMade = mayDemandMade(method, fields, rules);
    const isResumed = mayResumeMade(method, fields, rules);
    const demanded = isMade ? demandAsIs(fields) : fields;
    const wanted = isResumed ? { ...demanded, range: undefined, ifRange: undefined } : demanded;
    const compose = (at: WebAddress) => {
      const outgoing = outgoingFields(request, at, trace !== undefined);
      const sent = isResumed ? outgoing.filter(({ name }) => !ofRanges.has(name)) : outgoing;
      return ruled(isMade ? sentAsIs(sent) : sent, bucket.rulesFor(at.path), method);
    };
    const client = new LocalClient(exchange, this.#parts);
    const page = (by: WebClient) => {
      const target = webTarget(asked, scheme);
      const own = { ...described, fields: wanted, address: asked, target };
      return new WebRead(own, by, () => compose(asked));
    };
    if (!isRead) this.#pass(page(client), request, exchange);
    else if (!bucket.website) this.#serve(page(client));
    else {
      const whole = fieldsForWhole(fields);
      const document = (at: WebAddress, by: WebClient) =>
        new WebRead({ ...described, fields: whole, address: at, target: webTarget(at, scheme) }, by, () =>
          unconditionalFields(compose(at)),
        );
      this.#visit({ exchange, client, rules: bucket.website, address, page, document });
    }
  }

  #visit(asked: Omit<VisitParts, 'observer' | 'bodies' | 'serve'>): void {
    const { observer, copies } = this.#parts;
    const { exchange, address } = asked;
    const location = slashOfBucket(address, exchange.url);
    const serve = (read: WebRead) => read.attempt(() => this.#serve(read));
    if (location === undefined) new WebsiteVisit({ ...asked, observer, bodies: copies, serve }).begin();
    else redirect(exchange, location, observer);
  }

  #serve(read: WebRead): void {
    this.#sources.webSourceOf(read.target.key.hash).serve(read);
  }

  #pass(read: WebRead, request: IncomingMessage, exchange: Exchange): void {
    const { bucket } = read;
    let hasBody = false;
    this.#own.pass(read, refused => {
      const body = passedBodyOf({ request, bucket, exchange }, this.#parts.observer, refused);
      hasBody = body !== undefined;
      return body;
    });
    if (hasBody) letContinue(request, exchange.response);
  }
}

/** What asks for all of another document in the name of the same client. */
function fieldsForWhole({ authorization, cacheControl, pragma, acceptEncoding }: WebFields): WebFields {
  return { ...noFields, authorization, cacheControl, pragma, acceptEncoding };
}

/**
 * What the origin gets as rules have it. Where the gateway answers for CORS, what is read is asked for alike for all origins, so
 * that one answer serves them all.
 */
function ruled(fields: readonly HeaderField[], { answers, requests }: KeyRules, method: string) {
  const isForAll = answers?.crossOrigin && isGetOrHead(method);
  const asked = isForAll ? fields.filter(({ name }) => name !== 'origin') : fields;
  return requests?.applied(asked) ?? asked;
}
