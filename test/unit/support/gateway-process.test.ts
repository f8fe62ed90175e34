import { expect, it } from 'vitest';
import { Metrics } from '../../support/gateway-process.ts';

const metrics = new Metrics(`# HELP tidegate_backend_bytes_total Bytes.
# TYPE tidegate_backend_bytes_total counter
tidegate_backend_bytes_total{backend="a"} 100
tidegate_backend_bytes_total{backend="b"} 20
tidegate_backend_requests_total{backend="a",operation="GetObject",status="200"} 3
tidegate_backend_requests_total{backend="a",operation="HeadObject",status="200"} 4
tidegate_fills_in_flight 7
`);

it('adds up the series of one name that have the labels', () => {
  expect(metrics.total('backend_bytes_total')).toBe(120);
  expect(metrics.total('backend_bytes_total', { backend: 'b' })).toBe(20);
  expect(metrics.total('backend_requests_total', { backend: 'a', operation: 'GetObject' })).toBe(3);
  expect(metrics.total('fills_in_flight')).toBe(7);
  expect(metrics.total('backend_bytes')).toBe(0);
});
