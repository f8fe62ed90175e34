import { clientOf } from '../../base/client-quota.ts';
import { ClientRates } from '../../base/client-rates.ts';
import type { Clock } from '../../base/clock.ts';
import { clientAddressOf } from '../../transport/peer.ts';
import type { RateLimits } from '../request/admission.ts';
import type { Exchange } from '../request/exchange.ts';

/**
 * Bodies are sent in pieces of an eighth of a second each, within the bounds below: the responses of a client take
 * turns piece by piece.
 */
const PIECES_PER_SECOND = 8;
const LEAST_PIECE_BYTES = 4 * 1024;
const LARGEST_PIECE_BYTES = 256 * 1024;

/** The bytes per second of clients, in one direction. */
class RatesOfClients {
  readonly addresses: ClientRates;
  readonly accessKeys: ClientRates;

  constructor(clock: Clock) {
    this.addresses = new ClientRates(0, clock);
    this.accessKeys = new ClientRates(0, clock);
  }
}

/** The limits for the rates at which response bodies are sent to clients, and request bodies are read from them. */
export class BodyRates {
  readonly clock: Clock;
  readonly #sent: RatesOfClients;
  readonly #received: RatesOfClients;
  #isLimited = false;

  constructor(limits: RateLimits, clock: Clock) {
    this.clock = clock;
    this.#sent = new RatesOfClients(clock);
    this.#received = new RatesOfClients(clock);
    this.limit(limits);
  }

  /** Changes the limits, for running requests as well; only the size of pieces stays. */
  limit({ ratePerAddressBytes, ratePerAccessKeyBytes }: RateLimits): void {
    for (const { addresses, accessKeys } of [this.#sent, this.#received]) {
      addresses.limit(ratePerAddressBytes);
      accessKeys.limit(ratePerAccessKeyBytes);
    }
    this.#isLimited = ratePerAddressBytes > 0 || ratePerAccessKeyBytes > 0;
  }

  /** The rate of the response body of `exchange`; undefined where there is no limit. */
  of(exchange: Exchange): BodyRate | undefined {
    return this.#isLimited ? this.#rateOf(exchange, this.#sent) : undefined;
  }

  /** The same of its request body. */
  ofUpload(exchange: Exchange): BodyRate | undefined {
    return this.#isLimited ? this.#rateOf(exchange, this.#received) : undefined;
  }

  #rateOf({ response, caller }: Exchange, { addresses, accessKeys }: RatesOfClients): BodyRate | undefined {
    const limits: RateOfClient[] = [];
    const client = clientOf(clientAddressOf(response.req));
    if (addresses.bytesPerSecond > 0) limits.push({ rates: addresses, client });
    if (accessKeys.bytesPerSecond > 0 && caller !== undefined)
      limits.push({ rates: accessKeys, client: caller });
    return limits.length > 0 ? new BodyRate(limits, this.clock) : undefined;
  }
}

interface RateOfClient {
  readonly rates: ClientRates;
  readonly client: string;
}

/** The rate of one body: the lowest of the limits that apply to its client. */
export class BodyRate {
  readonly clock: Clock;
  /** The largest piece that should be sent at once. */
  readonly pieceBytes: number;
  readonly #limits: readonly RateOfClient[];

  constructor(limits: readonly RateOfClient[], clock: Clock) {
    this.#limits = limits;
    this.clock = clock;
    const slowest = Math.min(...limits.map(({ rates }) => rates.bytesPerSecond));
    const wanted = Math.floor(slowest / PIECES_PER_SECOND);
    this.pieceBytes = Math.min(LARGEST_PIECE_BYTES, Math.max(LEAST_PIECE_BYTES, wanted));
  }

  /** How long the client has to wait for its next bytes. */
  get waitMs(): number {
    return Math.max(...this.#limits.map(({ rates, client }) => rates.waitMs(client)));
  }

  /** Reserves `sizeBytes`. @returns how long to wait before they are sent */
  reserve(sizeBytes: number): number {
    return Math.max(...this.#limits.map(({ rates, client }) => rates.reserve(client, sizeBytes)));
  }

  /** Returns bytes that were reserved and not sent. */
  giveBack(sizeBytes: number): void {
    for (const { rates, client } of this.#limits) rates.giveBack(client, sizeBytes);
  }

  /** Counts bytes that are sent without a reservation. */
  charge(sizeBytes: number): void {
    for (const { rates, client } of this.#limits) rates.charge(client, sizeBytes);
  }

  /** Counts a short body if it may be sent now. @returns whether it may */
  takeNow(sizeBytes: number): boolean {
    if (sizeBytes > this.pieceBytes || this.waitMs > 0) return false;
    this.charge(sizeBytes);
    return true;
  }
}
