import { GatewayProcess, type GatewaySetup } from '../support/gateway-process.ts';
import { patternContent } from '../support/stand-in/content.ts';
import { bucket, type PatternObject } from './store-command.ts';
import { StoreProcess } from './store-process.ts';

export const kibibyte = 1024;
export const mebibyte = 1_048_576;

/** What a figure may say of its gateway. */
export type GatewayOptions = Partial<
  Pick<
    GatewaySetup,
    | 'backends'
    | 'buckets'
    | 'clients'
    | 'memory'
    | 'workers'
    | 'accessLog'
    | 'tls'
    | 'nodeArguments'
    | 'launcher'
  >
>;

interface Stoppable {
  stop(): Promise<unknown>;
}

/** The store and the servers of one figure; everything started here ends with it. */
export class Lab {
  readonly store: StoreProcess;
  readonly #started: Stoppable[];
  readonly #say: (line: string) => void;

  private constructor(store: StoreProcess, say: (line: string) => void) {
    this.store = store;
    this.#started = [store];
    this.#say = say;
  }

  static async open(say: (line: string) => void): Promise<Lab> {
    return new Lab(await StoreProcess.start(), say);
  }

  /** A gateway in front of the store, ready, with nothing cached. */
  gateway(options: GatewayOptions = {}): Promise<GatewayProcess> {
    const start = GatewayProcess.start({
      backends: { store: { type: 's3', endpoint: this.store.url } },
      buckets: { [bucket]: { backend: 'store', access: 'public', cache: { ttl: '1h' } } },
      memory: '1GiB',
      ...options,
    });
    return this.keep(start);
  }

  /** Stops what `start` gives when the lab closes. */
  async keep<Server extends Stoppable>(start: Promise<Server>): Promise<Server> {
    const server = await start;
    this.#started.push(server);
    return server;
  }

  /** Puts an object of pattern bytes into the store and gives its content. */
  async put(object: PatternObject) {
    await this.store.put(object);
    return patternContent(object.sizeBytes, object.seed);
  }

  /** Prints a line about how the figure comes about. */
  say(line: string): void {
    this.#say(`  ${line}`);
  }

  async close(): Promise<void> {
    for (const server of this.#started.splice(0).reverse()) await server.stop();
  }
}

/** Where an object is at the gateway. */
export function urlAt(gateway: GatewayProcess, key: string): string {
  return `${gateway.url}/${bucket}/${key}`;
}
