import type { Content, ContentReader, Loan } from '../../cache/content.ts';
import type { Coverage } from '../../cache/coverage.ts';
import type { TraceContext } from '../../http/trace-context.ts';
import type { WireIdentity, WireLoan, WireObject, WireReader } from './messages.ts';
import type { PeerLink } from './peer-link.ts';

/** What a reader needs of a content that another worker owns. */
export interface ReadRemotely extends Pick<Content, 'coverage'> {
  readonly contentId: number;
  readonly object: WireObject;
  readonly identity: WireIdentity;
  lendFrom(from: number, to: number): Loan | undefined;
  borrowed(loan: WireLoan): Loan | undefined;
}

/** Reads from remembered positions as long as they are valid, then from the owner. */
export class RemoteReader implements ContentReader {
  readonly #content: ReadRemotely;
  readonly #link: PeerLink;
  readonly #from: number;
  readonly #to: number;
  readonly #trace: TraceContext | undefined;
  #position: number;
  #reader: Promise<WireReader> | undefined;
  #isClosed = false;
  /** Told by the owner, where not all of what is read is known to be held. */
  held: Coverage | undefined;

  constructor(
    content: ReadRemotely,
    link: PeerLink,
    from: number,
    to: number,
    trace: TraceContext | undefined,
  ) {
    this.#trace = trace;
    this.#content = content;
    this.#link = link;
    this.#from = from;
    this.#position = from;
    this.#to = to;
  }

  next(limitBytes = Infinity): Loan | undefined | Promise<Loan | undefined> {
    if (this.#position >= this.#to) return undefined;
    const until = Math.min(this.#to, this.#position + limitBytes);
    const loan = this.#reader ? undefined : this.#content.lendFrom(this.#position, until);
    if (!loan) return limitBytes === Infinity ? this.#borrow() : this.#borrowForOnce();
    if (this.#isHeldUnknown) {
      loan.release();
      return this.#nextOfHeld(limitBytes);
    }
    this.#position += loan.bytes.length;
    return loan;
  }

  close(): void {
    this.#isClosed = true;
    this.#reader?.then(this.#closeAtOwner, () => undefined);
  }

  /** Whether nothing has been read yet, and the owner may hold more of it than is known. */
  get #isHeldUnknown(): boolean {
    if (this.held || this.#position > this.#from) return false;
    return this.#content.coverage(this.#from, this.#to) !== 'all';
  }

  /** The first bytes are known to be held, and the owner is asked for the others: it may hold all, or be lost. */
  async #nextOfHeld(limitBytes: number): Promise<Loan | undefined> {
    const { contentId, object } = this.#content;
    const asked = { contentId, object, from: this.#from, to: this.#to };
    const held = await this.#link.call('held', asked, () => undefined).catch(() => undefined);
    this.held = held ?? this.#content.coverage(this.#from, this.#to);
    return this.#isClosed ? undefined : this.next(limitBytes);
  }

  async #borrow(): Promise<Loan | undefined> {
    const { contentId, object, identity } = this.#content;
    const hasBegun = this.#position > this.#from;
    const begun = hasBegun ? identity : undefined;
    const read = { contentId, object, from: this.#position, to: this.#to, begun, trace: this.#trace };
    // once bytes were sent, the response can only wait for the owner; before that the object can be read in other ways
    this.#reader ??= this.#link.call('open', read, hasBegun ? undefined : this.#closeAtOwner);
    const { number, held } = await this.#reader;
    this.held ??= held;
    const wire = await this.#link.call('next', number, hasBegun ? undefined : ignoreLoan);
    const loan = this.#content.borrowed(wire);
    if (loan) this.#position += loan.bytes.length;
    return loan;
  }

  /** Returns the loan to its owner now, since it may take long until the next one is requested. */
  async #borrowForOnce(): Promise<Loan | undefined> {
    const loan = await this.#borrow();
    const reader = await this.#reader;
    if (!loan || reader === undefined) return loan;
    const release = () => {
      loan.release();
      this.#link.notify('returned', reader.number);
    };
    return { bytes: loan.bytes, slot: loan.slot, release };
  }

  readonly #closeAtOwner = ({ number }: WireReader) => this.#link.notify('close', number);
}

/** Closing the reader releases the loan at the owner. */
function ignoreLoan(): void {}
