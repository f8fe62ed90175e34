import { mkdtempSync, readFileSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { AccessLogOutput } from '../../../src/wiring/access-log-output.ts';
import { ManualClock } from '../../support/manual-clock.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-output-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function started() {
  const clock = new ManualClock();
  const metrics = new Metrics();
  const lines: string[] = [];
  const logger = createLogger({
    level: 'info',
    sink: { write: written => void lines.push(written), flush: () => undefined },
  });
  const standardOutput = { write: () => undefined, flush: () => undefined };
  const output = new AccessLogOutput({ standardOutput, clock, logger, metrics });
  const isUsable = async (file: string) => {
    const family = (await metrics.snapshot()).find(({ name }) => name === 'tidegate_access_log_usable');
    return family?.values.find(({ labels }) => labels.file === file)?.value;
  };
  const use = (file: string) =>
    output.prepare(parseConfig(`log: { access: { file: "${file}" } }`, {})).apply();
  return { clock, lines, output, isUsable, use };
}

const line = Buffer.from('line\n');

it('another file after a reload can be written, whatever becomes of the last lines of the one before', async () => {
  const { lines, output, isUsable, use } = started();
  const full = join(directory, 'full');
  const other = join(directory, 'other');
  symlinkSync('/dev/full', full);
  use(full);
  void output.write(line);
  await vi.waitUntil(async () => (await isUsable(full)) === 0);
  use(other);
  expect([await isUsable(full), await isUsable(other)]).toEqual([1, 1]);
  use(full);
  void output.write(line);
  use(other);
  await vi.waitUntil(() => lines.length === 2);
  expect(lines.join('')).toMatch(/(?:.*the access log cannot be written.*\n){2}/);
  expect([await isUsable(full), await isUsable(other)]).toEqual([1, 1]);
});

it('can be written again once there is room', async () => {
  const { clock, output, isUsable, use } = started();
  const path = join(directory, 'log');
  symlinkSync('/dev/full', path);
  use(path);
  const waiting = output.write(line);
  await vi.waitUntil(async () => (await isUsable(path)) === 0);
  unlinkSync(path);
  output.rotate();
  await vi.waitUntil(() => {
    clock.advance(1_000);
    try {
      return readFileSync(path, 'utf8') === 'line\n';
    } catch {
      return false;
    }
  });
  await waiting;
  expect(await isUsable(path)).toBe(1);
});
