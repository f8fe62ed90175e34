import { sharesPorts } from './claim-port.ts';

/** How many workers run, and what the operator should know when it is not what was asked for. */
export interface WorkerCount {
  readonly count: number;
  readonly reusePort: boolean;
  readonly notice: string | undefined;
}

/** `auto` is one per core. Where sockets cannot share a port (macOS), there is one worker. */
export function countWorkers(wanted: number | 'auto', cores: number, platform: NodeJS.Platform): WorkerCount {
  const count = wanted === 'auto' ? Math.max(1, cores) : wanted;
  if (sharesPorts(platform)) return { count, reusePort: true, notice: undefined };
  const notice =
    count > 1 ? `${platform} cannot share a port among threads: one worker instead of ${count}` : undefined;
  return { count: 1, reusePort: false, notice };
}
