import { sharesPorts } from './claim-address.ts';

/** The number of workers, with a warning when it differs from the configured one. */
interface WorkerCount {
  readonly count: number;
  readonly reusePort: boolean;
  readonly notice: string | undefined;
}

/** `auto` means one per core. Where sockets cannot share a port (macOS), there is one worker. */
export function countWorkers(wanted: number | 'auto', cores: number, platform: NodeJS.Platform): WorkerCount {
  const count = wanted === 'auto' ? Math.max(1, cores) : wanted;
  if (sharesPorts(platform)) return { count, reusePort: true, notice: undefined };
  const notice =
    count > 1
      ? `${platform} does not support port sharing between threads: one worker instead of ${count}`
      : undefined;
  return { count: 1, reusePort: false, notice };
}
