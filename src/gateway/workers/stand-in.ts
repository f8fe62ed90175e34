import type { StoodInNames } from '../../cache/stood-in-names.ts';
import type { Warmed } from '../read/warmed.ts';
import type { WebRead, WebSource } from '../web/web-read.ts';
import { type WebPage, webKeyOf } from '../web/web-target.ts';

/** This worker's own look-up in place of one owner, which is blocked or has ended. */
export class StandIn implements WebSource {
  readonly #owner: number;
  readonly #own: WebSource;
  readonly #names: StoodInNames;

  constructor(owner: number, own: WebSource, names: StoodInNames) {
    this.#owner = owner;
    this.#own = own;
    this.#names = names;
  }

  serve(read: WebRead): void {
    this.#names.begin(read.target.key);
    this.#own.serve(read);
  }

  async warm(page: WebPage, gone: AbortSignal): Promise<Warmed> {
    this.#names.begin(webKeyOf(page.bucket, page.key));
    return this.#own.warm(page, gone);
  }

  /** The owner answers again. */
  end(): void {
    this.#names.end(this.#owner);
  }
}
