import { NotCachedError, RefusedByStoreError } from '../fill/fill-error.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import type { ObjectRead } from '../request/object-read.ts';
import type { Asker, LookupResult, ObjectSources } from './object-source.ts';
import { mayFallBack } from './store-failure.ts';

/** What is known of the document of a folder. */
export type Folder = FolderThere | { readonly kind: 'none' } | FolderUnknown;

export interface FolderThere {
  readonly kind: 'there';
  /** Which of the questions has found it. */
  readonly read: ObjectRead;
  readonly found: LookupResult;
  readonly isFromFallback: boolean;
}

/** The store has failed to say. */
interface FolderUnknown {
  readonly kind: 'unknown';
  readonly error: unknown;
}

const none = { kind: 'none' } as const;

/** Asks whether folders of websites have their documents. */
export class FolderLookup {
  readonly #observer: Pick<ExchangeObserver, 'fallbacks'>;
  readonly #sources: ObjectSources;

  constructor(observer: Pick<ExchangeObserver, 'fallbacks'>, sources: ObjectSources) {
    this.#observer = observer;
    this.#sources = sources;
  }

  /**
   * Never rejects.
   *
   * @param elsewhere the same at the fallback, if there is one: a replica may lack objects, so it counts only what it has
   */
  async find(read: ObjectRead, elsewhere: ObjectRead | undefined, asker: Asker): Promise<Folder> {
    const folder = await this.#ask(read, asker, false);
    if (folder.kind !== 'unknown' || !elsewhere || !mayFallBack(folder.error)) return folder;
    this.#observer.fallbacks.cell(read.bucket.store.name).add();
    const other = await this.#ask(elsewhere, asker, true);
    return other.kind === 'there' ? other : folder;
  }

  async #ask(read: ObjectRead, asker: Asker, isFromFallback: boolean): Promise<Folder> {
    try {
      const found = await this.#sources.sourceOf(read.objectKey.hash).find(read, false, asker);
      return found.record.kind === 'refused' ? none : { kind: 'there', read, found, isFromFallback };
    } catch (error) {
      return tellsOfNone(error) ? none : { kind: 'unknown', error };
    }
  }
}

/**
 * A store says 403 of what is missing where the gateway must not list. For who takes only what is held, there is nothing that is
 * not.
 */
function tellsOfNone(error: unknown): boolean {
  if (error instanceof RefusedByStoreError) return error.reply.status === 404 || error.reply.status === 403;
  return error instanceof NotCachedError;
}
