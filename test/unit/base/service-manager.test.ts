import { expect, it } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import { announceReady, warnOfPassedSockets } from '../../../src/base/service-manager.ts';

/** What was run, and what was logged, when the program ended with `error`. */
function announced(environment: Record<string, string>, error: Error | null = null) {
  const ran: string[] = [];
  const lines: string[] = [];
  announceReady({
    environment,
    logger: createLogger({
      level: 'info',
      sink: { write: line => void lines.push(line), flush: () => undefined },
    }),
    run: (program, args, done) => {
      ran.push([program, ...args].join(' '));
      done(error);
    },
  });
  return { ran, lines };
}

it('readiness is announced by systemd-notify where a service manager waits for it', () => {
  const { ran, lines } = announced({ NOTIFY_SOCKET: '/run/systemd/notify' });
  expect(ran).toEqual(['systemd-notify --ready --status=serving']);
  expect(lines).toEqual([]);
});

it('nothing is run where no service manager waits', () => {
  expect(announced({}).ran).toEqual([]);
  expect(announced({ NOTIFY_SOCKET: '' }).ran).toEqual([]);
});

it('a missing systemd-notify is a warning with the reason, and not the end of the gateway', () => {
  const { lines } = announced(
    { NOTIFY_SOCKET: '/run/systemd/notify' },
    new Error('spawn systemd-notify ENOENT'),
  );
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { level: 'warn', reason: 'spawn systemd-notify ENOENT' },
  ]);
});

it.each([
  [{ LISTEN_PID: '7', LISTEN_FDS: '1' }, 1],
  [{ LISTEN_PID: '8', LISTEN_FDS: '1' }, 0],
  [{}, 0],
])(
  'sockets that were passed to this process are a warning, as they are not used: %j',
  (environment, count) => {
    const lines: string[] = [];
    const sink = { write: (line: string) => void lines.push(line), flush: () => undefined };
    warnOfPassedSockets(environment, 7, createLogger({ level: 'info', sink }));
    expect(lines).toHaveLength(count);
  },
);
