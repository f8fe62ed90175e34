import { isFault, sendWhole } from '../reply/error-reply.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import { asRead, type CacheReports, fromFallback, wasForwarded } from '../request/cache-status.ts';
import type { ClientRead, Page } from '../request/client-read.ts';
import type { Exchange } from '../request/exchange.ts';
import { readAtFallback } from '../request/fallback-bucket.ts';
import type { ObjectRead } from '../request/object-read.ts';
import { errorPage, readOfKey, withSlash } from '../request/page.ts';
import { type Folder, FolderLookup, type FolderThere } from './folder-lookup.ts';
import type { ObjectSources } from './object-source.ts';
import { replyToFailure } from './reply-to-failure.ts';
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
  readonly #reports: CacheReports;
  readonly #folders: FolderLookup;
  readonly #serve: (client: ClientRead) => void;

  /** @param serve answers a read */
  constructor(
    observer: ExchangeObserver,
    sources: ObjectSources,
    reports: CacheReports,
    serve: (client: ClientRead) => void,
  ) {
    this.#observer = observer;
    this.#sources = sources;
    this.#reports = reports;
    this.#folders = new FolderLookup(observer, sources);
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
    if (status === 404 && folderIndex !== undefined && permissions.allowsRead(folderIndex, undefined))
      this.#lookForFolder(refused, folderIndex);
    else this.#serveErrorPage(refused);
  }

  #lookForFolder(refused: RefusedPage, folderIndex: string): void {
    const { client } = refused;
    const read = questionAbout(client, folderIndex);
    const elsewhere = readAtFallback({ ...client, read })?.read;
    const waiting = new WaitingAnswer(refused, client, this.#observer);
    void this.#folders
      .find(read, elsewhere, waiting.asker)
      .then(folder => this.#lookedForFolder(waiting, read, folder));
  }

  #lookedForFolder(waiting: WaitingAnswer<RefusedPage>, read: ObjectRead, folder: Folder): void {
    const refused = waiting.take();
    if (!refused) return;
    const { exchange } = refused.client;
    try {
      if (folder.kind === 'there') this.#redirectToFolder(refused.client, folder);
      else if (folder.kind === 'none') this.#serveErrorPage(refused);
      else this.#replyToFailure({ ...refused.client, read }, folder.error);
    } catch (error) {
      exchange.refuse(error);
    }
  }

  /** What was held of the page has not answered the request where the store was asked for the folder. */
  #redirectToFolder({ exchange }: ClientRead, { read, found, isFromFallback }: FolderThere): void {
    if (!wasForwarded(exchange.report)) {
      const report = this.#reports.ofRecord(found.record, found, 'all', read.policy, this.#observer.nowMs);
      exchange.report = asRead(report, read, isFromFallback);
    } else if (isFromFallback) exchange.report = fromFallback(exchange.report);
    redirect(exchange, withSlash(exchange.url), this.#observer);
  }

  #replyToFailure(client: ClientRead, error: unknown): void {
    const source = this.#sources.sourceOf(client.read.objectKey.hash);
    if (isFault(error)) client.exchange.refuse(error);
    else replyToFailure(client, source, undefined, error, this.#observer);
  }

  #serveErrorPage({ client, page, status, otherwise }: RefusedPage): void {
    const { exchange } = client;
    const { report } = exchange;
    const instead = errorPage(client, page, status, () => {
      exchange.report = report;
      otherwise();
    });
    if (instead) this.#serve(instead);
    else otherwise();
  }
}

/** Whether there is such a document. A client that wants only what is held wants the same of this. */
function questionAbout(client: ClientRead, folderIndex: string): ObjectRead {
  const { directives, ...read } = readOfKey(client, folderIndex, 'HEAD');
  return directives?.onlyIfCached ? { ...read, directives } : read;
}

/** As website endpoints of Amazon S3 do it; folders may become documents, so nobody is to remember it for good. */
export function redirect(exchange: Exchange, location: string, observer: ExchangeObserver): void {
  sendWhole(exchange, 302, ['location', location], Buffer.alloc(0), exchange, undefined);
  observer.sent(exchange);
}
