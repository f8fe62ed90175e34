import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GatewayProcess } from '../support/gateway-process.ts';

const mebibyte = 1_048_576;

/** What has the threads of a gateway write down their memory. */
export const watchMemory = `--import=${new URL('watch-memory.ts', import.meta.url).href}`;

/** The kinds of memory of a gateway that was started with `watchMemory`, in words: they tell where too much of it comes from. */
export class MemoryKinds {
  readonly #gateway: GatewayProcess;
  readonly #before: ReadonlyMap<string, number>;

  /** Resident memory is compared with that of now. */
  constructor(gateway: GatewayProcess) {
    this.#gateway = gateway;
    this.#before = residentKinds(gateway.pid);
  }

  /** What is resident more than before, by kind, and what each thread had when its heap and buffers were largest. */
  get words(): string {
    const resident = [...residentKinds(this.#gateway.pid)].map(
      ([kind, bytes]) => `${kind} ${inMebibytes(bytes - (this.#before.get(kind) ?? 0))}`,
    );
    const threads = readdirSync(this.#gateway.directory)
      .filter(name => /^memory-\d+\.json$/.test(name))
      .map(name => `${name.slice(0, -5)}: ${this.#atMost(name)}`);
    return [`MiB over idle: ${resident.join(', ')}`, ...threads].join('; ');
  }

  #atMost(name: string): string {
    const most: NodeJS.MemoryUsage = JSON.parse(readFileSync(join(this.#gateway.directory, name), 'utf8'));
    const { heapTotal, heapUsed, external, arrayBuffers } = most;
    // of thread 0 with those that all threads share, which are not outside of its heap
    const [heap, used, outside, buffers] = [heapTotal, heapUsed, external, arrayBuffers].map(inMebibytes);
    return `heap ${heap} (used ${used}), outside of it ${outside}, array buffers ${buffers}`;
  }
}

/** Resident memory as the system tells it apart; the arena of the cache is anonymous memory, as heaps and buffers are. */
function residentKinds(pid: number): ReadonlyMap<string, number> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return new Map(
    [...status.matchAll(/^Rss(Anon|File|Shmem):\s+(\d+) kB$/gm)].map(
      ([, kind = '', kibibytes]) => [kind.toLowerCase(), Number(kibibytes) * 1024] as const,
    ),
  );
}

function inMebibytes(bytes: number): number {
  return Math.round(bytes / mebibyte);
}
