import { expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { CounterCell, Metrics } from '../../../src/base/metrics.ts';
import { GrowingRedactor } from '../../../src/base/redaction.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { createReload } from '../../../src/wiring/reload-parts.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const config = (backend: string) =>
  parseConfig(
    `backends: { ${backend}: { type: s3, endpoint: "http://store", keys: exact } }\n` +
      `buckets: { b: { backend: ${backend}, access: public } }`,
    {},
  );

it.each([
  [undefined, ['prepare', 'workers', 'log', 'certificates', 'apply', 'queue', 'alerts'], 'reloaded'],
  [new Error('planted'), ['prepare', 'workers', 'no log', 'no certificates', 'cancel'], 'refused'],
])(
  'log, certificates, credentials and the queue of events follow a reload only when the workers do: %s',
  async (failure, expected, kind) => {
    const events: string[] = [];
    const note = (event: string) => () => void events.push(event);
    const reload = createReload({
      running: { current: config('before') },
      read: () => ({ config: config('after'), warnings: ['of the file'] }),
      stores: new Map(),
      workers: {
        async reconfigure() {
          events.push('workers');
          if (failure) throw failure;
        },
      },
      eventsQueue: { use: note('queue') },
      alerts: { reconfigure: note('alerts') },
      redactor: new GrowingRedactor(),
      credentials: {
        async prepare() {
          events.push('prepare');
          return { apply: note('apply'), cancel: note('cancel') };
        },
        missingOfReloads: () => ['no credentials'],
      },
      accessLog: { prepare: () => ({ apply: note('log'), cancel: note('no log') }) },
      certificates: { prepare: () => ({ apply: note('certificates'), cancel: note('no certificates') }) },
      file: 'gateway.yaml',
      ...{ clock: new ManualClock(), logger: silentLogger(), metrics: new Metrics() },
      ...{ restarts: new CounterCell(), writeLog: () => undefined },
    });
    const outcome = await reload.run();
    expect(events).toEqual(expected);
    expect(outcome).toMatchObject(
      failure ? { kind, reason: 'planted' } : { kind, warnings: ['of the file', 'no credentials'] },
    );
  },
);
