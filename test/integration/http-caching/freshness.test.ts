import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { freshnessRows } from '../../support/http-caching/freshness-rows.ts';
import { testRows } from '../../support/http-caching/test-rows.ts';

beforeAll(() => {
  vi.stubEnv('TZ', 'Asia/Kolkata');
});

afterAll(() => {
  vi.unstubAllEnvs();
});

it('the machine of these rows has a time zone', () => {
  expect(new Date(0).getTimezoneOffset()).toBe(-330);
});

testRows(freshnessRows);
