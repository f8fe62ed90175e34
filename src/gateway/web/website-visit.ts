import { isRetryableStatus } from '../../backend/store.ts';
import { NotCachedError } from '../fill/fill-error.ts';
import { redirect } from '../read/website.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import type { WebsiteRules } from '../request/bucket.ts';
import type { Exchange } from '../request/exchange.ts';
import { withSlash } from '../request/page.ts';
import type { Collections } from './collected-body.ts';
import { errorFields } from './error-document.ts';
import { type Arrived, type Failed, JudgedClient } from './judged-client.ts';
import type { JudgedAnswer } from './judged-wait.ts';
import type { LocalClient } from './local-client.ts';
import { Visitor } from './visitor.ts';
import type { WebClient, WebRead } from './web-read.ts';
import { documentOf, type WebAddress } from './web-target.ts';

export interface VisitParts {
  readonly exchange: Exchange;
  readonly observer: ExchangeObserver;
  readonly client: LocalClient;
  readonly rules: WebsiteRules;
  /** As the client has named it. */
  readonly address: WebAddress;
  readonly bodies: Collections;
  /** What the client has asked for. */
  page(client: WebClient): WebRead;
  /** Another document, as a whole. */
  document(address: WebAddress, client: WebClient): WebRead;
  serve(read: WebRead): void;
}

/**
 * A page that somebody asks of a website at a web origin. Whatever else is asked for it is asked in the name of the same client, so
 * nobody learns more than by asking for it directly.
 */
export class WebsiteVisit {
  readonly #parts: VisitParts;
  readonly #visitor: Visitor;

  constructor(parts: VisitParts) {
    this.#parts = parts;
    this.#visitor = new Visitor(parts.client);
  }

  begin(): void {
    const { page, serve } = this.#parts;
    serve(page(this.#judging(arrived => this.#arrived(arrived))));
  }

  #judging(judge: (arrived: Arrived) => void): JudgedClient {
    const { page, serve, client, bodies } = this.#parts;
    return new JudgedClient({ visitor: this.#visitor, judge, bodies, again: () => serve(page(client)) });
  }

  #arrived(arrived: Arrived): void {
    if (arrived.kind === 'failed') {
      this.#refuse(arrived);
      return;
    }
    const { address, rules } = this.#parts;
    if (arrived.status === 404 && rules.redirects && !address.path.endsWith('/'))
      this.#lookForFolder(arrived);
    else this.#lookForDocument(arrived);
  }

  #refuse({ report, error }: Failed): void {
    if (!this.#visitor.release()) return;
    const { client } = this.#parts;
    client.report = report;
    client.refuse(error);
  }

  /** Where the origin fails to say whether there is a folder, nobody is told that there is none. */
  #lookForFolder(page: JudgedAnswer): void {
    const { address, document, serve, exchange, observer, client } = this.#parts;
    const judge = (found: Arrived) => {
      if (found.kind === 'failed') {
        if (found.error instanceof NotCachedError) this.#lookForDocument(page);
        else {
          page.drop();
          this.#refuse(found);
        }
        return;
      }
      if (isRetryableStatus(found.status)) {
        page.drop();
        found.give();
        return;
      }
      found.drop();
      if (found.status < 200 || found.status > 299) {
        this.#lookForDocument(page);
        return;
      }
      page.drop();
      if (!this.#visitor.release()) return;
      client.report = page.isHeld ? found.report : page.report;
      redirect(exchange, withSlash(exchange.url), observer);
    };
    serve(document(documentOf({ ...address, path: `${address.path}/` }), this.#judging(judge)));
  }

  /** Gives the document for errors where there is one for this one, otherwise what the origin has answered. */
  #lookForDocument(page: JudgedAnswer): void {
    const { address, rules, document, serve } = this.#parts;
    const { error, errorFor } = rules;
    if (error === undefined || !errorFor.includes(page.status)) {
      page.give();
      return;
    }
    const judge = (found: Arrived) => {
      if (found.kind === 'answer' && found.status === 200) {
        page.drop();
        // what was asked for is told of; where both are held, how long the error is fresh, of which the head is
        const { report, by } = page.isHeld && !found.isHeld ? found : page;
        const shown = { report, by: { policy: page.by.policy, target: by.target } };
        found.give({ status: page.status, fields: errorFields(page.fields, found.fields, read), ...shown });
        return;
      }
      if (found.kind === 'answer') found.drop();
      page.give();
    };
    const path = error.startsWith('/') ? error : `/${error}`;
    const read = document({ ...address, path, query: undefined }, this.#judging(judge));
    serve(read);
  }
}

/**
 * Where a request for the bucket as a whole is sent to, whose path leaves out the slash behind the name of the bucket: links of its
 * document would be about the folder above. Undefined for any other.
 */
export function slashOfBucket({ bucket, path }: WebAddress, url: string): string | undefined {
  if (!bucket.website || path !== '/') return undefined;
  const asked = /^(?:https?:\/\/[^/?]*)?([^?]*)/is.exec(url)?.[1] ?? '';
  return asked === '' || asked.endsWith('/') ? undefined : withSlash(url);
}
