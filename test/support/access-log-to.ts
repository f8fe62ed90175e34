import { systemClock } from '../../src/base/clock.ts';
import { createRedactor } from '../../src/base/redaction.ts';
import { AccessLog, type AccessLogOptions } from '../../src/gateway/reply/access-log.ts';

/** An access log of JSON lines that gives each to `write`. */
export function accessLogTo(
  write: (line: string) => void,
  different: Partial<AccessLogOptions> = {},
): AccessLog {
  return new AccessLog({
    ...{ format: 'json', sample: 1, thread: 'worker-0', clock: systemClock, random: Math.random },
    ...{ sink: { write, flush: () => undefined }, redactor: { current: createRedactor([]) } },
    ...different,
  });
}
