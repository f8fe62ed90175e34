import { recordName } from '../../cache/record.ts';
import { sendWhole } from '../reply/error-reply.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import type { ClientRead, Page } from '../request/client-read.ts';
import type { Exchange } from '../request/exchange.ts';
import { errorPage, readOfKey, withSlash } from '../request/page.ts';
import type { ObjectSources } from './object-source.ts';
import { WaitingAnswer } from './waiting-answer.ts';

/** A page that is not to be had, and what is answered where the website has nothing instead. */
interface RefusedPage {
  readonly client: ClientRead;
  readonly page: Page;
  readonly status: number;
  readonly otherwise: () => void;
}

/** What browsers get of a website instead of an error. */
export class Website {
  readonly #observer: ExchangeObserver;
  readonly #sources: ObjectSources;
  readonly #serve: (client: ClientRead) => void;

  /** @param serve answers a read */
  constructor(observer: ExchangeObserver, sources: ObjectSources, serve: (client: ClientRead) => void) {
    this.#observer = observer;
    this.#sources = sources;
    this.#serve = serve;
  }

  /**
   * Answers a page that was refused with `status`: with a redirect to the folder of this name, or the document for errors.
   *
   * @param otherwise answers where there is neither
   */
  answerInstead(client: ClientRead, page: Page, status: number, otherwise: () => void): void {
    const refused = { client, page, status, otherwise };
    const { folderIndex, permissions } = page;
    if (page.otherwise) {
      page.otherwise();
      return;
    }
    if (status === 404 && folderIndex !== undefined && permissions.allowsRead(folderIndex, undefined))
      this.#lookForFolder(refused, folderIndex);
    else this.#serveErrorPage(refused);
  }

  #lookForFolder(refused: RefusedPage, folderIndex: string): void {
    const read = readOfKey(refused.client, folderIndex, 'HEAD');
    const asked = { ...read, recordName: recordName(undefined, read.variant, 'HEAD'), directives: undefined };
    const waiting = new WaitingAnswer(refused, refused.client, this.#observer);
    const source = this.#sources.sourceOf(read.objectKey.hash);
    void source
      .find(asked, false, waiting.asker)
      .then(
        ({ record }) => record.kind !== 'refused',
        () => false,
      )
      .then(isThere => this.#lookedForFolder(waiting, isThere));
  }

  #lookedForFolder(waiting: WaitingAnswer<RefusedPage>, isThere: boolean): void {
    const refused = waiting.take();
    if (!refused) return;
    const { exchange } = refused.client;
    try {
      if (isThere) redirect(exchange, withSlash(exchange.url), this.#observer);
      else this.#serveErrorPage(refused);
    } catch (error) {
      exchange.refuse(error);
    }
  }

  #serveErrorPage({ client, page, status, otherwise }: RefusedPage): void {
    const instead = errorPage(client, page, status, otherwise);
    if (instead) this.#serve(instead);
    else otherwise();
  }
}

/** As website endpoints of Amazon S3 do it; folders may become documents, so nobody is to remember it for good. */
export function redirect(exchange: Exchange, location: string, observer: ExchangeObserver): void {
  sendWhole(exchange, 302, ['location', location], Buffer.alloc(0), exchange, undefined);
  observer.sent(exchange);
}
