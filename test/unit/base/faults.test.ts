import { describe, expect, it } from 'vitest';
import { Faults, guardedClock } from '../../../src/base/faults.ts';
import { createLogger } from '../../../src/base/logger.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function scene() {
  const lines: Record<string, unknown>[] = [];
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)), flush: () => undefined };
  const metrics = new Metrics();
  const faults = new Faults(metrics, createLogger({ level: 'info', sink }));
  const count = async () =>
    (await metrics.snapshot()).find(({ name }) => name.endsWith('faults_total'))?.values[0]?.value;
  return { lines, faults, count };
}

describe('Faults', () => {
  it('counts a fault, and logs its stack and causes with the id of the request', async () => {
    const { lines, faults, count } = scene();
    faults.note(new TypeError('outer', { cause: new RangeError('inner') }), 'R1');
    expect(await count()).toBe(1);
    expect(lines).toMatchObject([{ level: 'error', requestId: 'R1' }]);
    expect(lines[0]?.fault).toMatch(
      /^TypeError: outer\n.*faults\.test\.ts[\s\S]*caused by RangeError: inner\n/,
    );
  });

  it('notes one fault once, however many requests it ends', async () => {
    const { lines, faults, count } = scene();
    const fault = new Error('one');
    faults.note(fault, 'R1');
    faults.note(new Error('told on', { cause: fault }), 'R2');
    faults.note(fault);
    expect(await count()).toBe(1);
    expect(lines).toHaveLength(1);
  });

  it('logs nothing of an error but its texts, and not without end', () => {
    const { lines, faults } = scene();
    faults.note(Object.assign(new Error('x'.repeat(100_000)), { input: 'planted' }));
    const circle = new Error('circle');
    circle.cause = circle;
    faults.note(circle);
    faults.note('a text');
    expect(lines.map(({ fault }) => String(fault).length <= 8192)).toEqual([true, true, true]);
    expect(JSON.stringify(lines)).not.toContain('planted');
  });
});

it('a timer of a guarded clock ends nothing but itself', async () => {
  const { faults, count } = scene();
  const manual = new ManualClock();
  const told: string[] = [];
  const clock = guardedClock(manual, faults);
  clock.after(1, () => {
    throw new Error('in a timer');
  });
  clock.after(2, () => told.push('second'));
  manual.advance(5);
  expect(told).toEqual(['second']);
  expect(await count()).toBe(1);
});
