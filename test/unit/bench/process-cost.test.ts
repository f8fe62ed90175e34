import { expect, it } from 'vitest';
import { costOf, cpuSeconds, residentBytes } from '../../bench/process-cost.ts';

it('gives the cost of a request only where enough time was counted', () => {
  expect(costOf(3, 100_000)).toBeCloseTo(30);
  expect(costOf(0.2, 1000)).toBeCloseTo(200);
  expect(costOf(0.19, 1000)).toBeUndefined();
  expect(costOf(0, 1)).toBeUndefined();
});

it('counts the CPU time and memory of a process that works', () => {
  const before = cpuSeconds(process.pid);
  const start = process.cpuUsage();
  while (process.cpuUsage(start).user < 300_000) Buffer.alloc(1000).fill(1);
  expect(cpuSeconds(process.pid) - before).toBeGreaterThan(0.2);
  const { now, peak } = residentBytes(process.pid);
  expect(now).toBeGreaterThan(10_000_000);
  expect(peak).toBeGreaterThanOrEqual(now);
});
