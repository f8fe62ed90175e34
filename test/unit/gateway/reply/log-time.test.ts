import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LogTimes, withThousandths } from '../../../../src/gateway/reply/log-time.ts';

it('gives the texts that Date gives, in whatever order the times come', () => {
  const times = new LogTimes();
  const moment = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
  fc.assert(
    fc.property(fc.array(moment), fc.nat(2_000), (moments, laterMs) => {
      for (const ms of moments.flatMap(each => [each, each + laterMs])) {
        expect(times.iso(ms)).toBe(new Date(ms).toISOString());
      }
    }),
  );
});

it('gives the time of the Combined Log Format', () => {
  const times = new LogTimes();
  expect(times.combined(Date.UTC(2000, 9, 10, 13, 55, 36, 999))).toBe('10/Oct/2000:13:55:36 +0000');
  expect(times.combined(Date.UTC(2026, 0, 2, 3, 4, 5))).toBe('02/Jan/2026:03:04:05 +0000');
});

it('writes thousandths as the decimals of a number', () => {
  fc.assert(
    fc.property(fc.nat(Number.MAX_SAFE_INTEGER), count => {
      const text = withThousandths(count);
      expect(text).toMatch(/^\d+\.\d{3}$/);
      expect(BigInt(text.replace('.', ''))).toBe(BigInt(count));
    }),
  );
});
