import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTraceparent, sampleShare, traceOf, validTracestate } from '../../../src/http/trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const valid = `00-${traceId}-${spanId}-01`;

describe('a traceparent (W3C Trace Context §3.2)', () => {
  it.each([
    [valid, true],
    [`00-${traceId}-${spanId}-00`, false],
    // only the last bit says that it is sampled
    [`00-${traceId}-${spanId}-fe`, false],
    [`00-${traceId}-${spanId}-ff`, true],
    // a later version may have more
    [`01-${traceId}-${spanId}-01`, true],
    [`cc-${traceId}-${spanId}-01-what-the-future-will-be-like`, true],
  ])('%s is read', (text, isSampled) => {
    expect(parseTraceparent(text)).toEqual({ traceId, spanId, isSampled });
  });

  it.each([
    '',
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-1`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId}-${spanId}-01-`,
    `cc-${traceId}-${spanId}-01.more`,
    `ff-${traceId}-${spanId}-01`,
    `0-${traceId}-${spanId}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.slice(1)}-${spanId}-01`,
    `00-${traceId}-${spanId}0-01`,
    `00-${traceId}-${spanId}-0g`,
    ` ${valid}`,
    `${valid}\n`,
    `${valid}, ${valid}`,
    `00_${traceId}_${spanId}_01`,
  ])('%j is malformed', text => {
    expect(parseTraceparent(text)).toBeUndefined();
  });
});

describe('a tracestate (W3C Trace Context §3.3)', () => {
  it.each([
    'congo=t61rcWkgMzE',
    'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
    'a=1 ,\tb=2, , c=3',
    'fw529a3039@dt=FfAQo4;0;0',
    Array.from({ length: 32 }, (_, index) => `k${index}=v`).join(','),
  ])('%j is passed on as it is', text => {
    expect(validTracestate(text)).toBe(text);
  });

  it.each([
    undefined,
    '',
    ' , ',
    'foo',
    'Foo=1',
    'foo=1=2',
    'foo=1,foo=2',
    'foo=\u00e4',
    'foo=a\nb',
    'foo@=1',
    `k=${'v'.repeat(257)}`,
    Array.from({ length: 33 }, (_, index) => `k${index}=v`).join(','),
    Array.from({ length: 30 }, (_, index) => `k${index}=${'v'.repeat(60)}`).join(','),
  ])('%j is dropped', text => {
    expect(validTracestate(text)).toBeUndefined();
  });
});

describe('the trace of a request', () => {
  it('is passed on where the gateway records no spans, without what a later version appends, and none is begun', () => {
    expect(traceOf(valid, 'a=1', undefined)).toEqual({
      traceId,
      spanId: undefined,
      parentSpanId: spanId,
      isSampled: false,
      traceparent: valid,
      tracestate: 'a=1',
    });
    const later = `01-${traceId}-${spanId}-fe-${'x'.repeat(20_000)}`;
    expect(traceOf(later, undefined, undefined)?.traceparent).toBe(`00-${traceId}-${spanId}-00`);
    expect(traceOf('malformed', 'a=1', undefined)).toBeUndefined();
    expect(traceOf(undefined, 'a=1', undefined)).toBeUndefined();
  });

  it.each([
    ['01', true],
    ['00', false],
  ])('goes on with a span of the gateway, and with flags %s is sampled: %s', (flags, isSampled) => {
    const trace = traceOf(`00-${traceId}-${spanId}-${flags}`, 'a=1', () => !isSampled);
    expect(trace).toMatchObject({ traceId, parentSpanId: spanId, isSampled, tracestate: 'a=1' });
    expect(trace?.spanId).toMatch(/^[\da-f]{16}$/);
    expect(trace?.spanId).not.toBe(spanId);
    expect(trace?.traceparent).toBe(`00-${traceId}-${trace?.spanId}-${flags}`);
  });

  it.each([undefined, 'malformed'])(
    'is a new one for a traceparent that is %s, without the tracestate',
    traceparent => {
      const [one, other] = [true, false].map(isTaken => traceOf(traceparent, 'a=1', () => isTaken));
      expect(one).toMatchObject({ isSampled: true, parentSpanId: undefined, tracestate: undefined });
      expect(other).toMatchObject({ isSampled: false });
      expect(parseTraceparent(one?.traceparent ?? '')).toMatchObject({ traceId: one?.traceId });
      expect(one?.traceId).not.toBe(other?.traceId);
    },
  );

  it('has an id that is never given twice, and always valid', () => {
    const ids = Array.from({ length: 5_000 }, () => traceOf(undefined, undefined, () => true));
    expect(new Set(ids.flatMap(trace => [trace?.traceId, trace?.spanId])).size).toBe(10_000);
    expect(ids.every(trace => parseTraceparent(trace?.traceparent ?? ''))).toBe(true);
  });
});

it('a share of all traces is sampled, and a larger share samples those of a smaller one too', () => {
  const ids = Array.from({ length: 20_000 }, () => traceOf(undefined, undefined, () => true)?.traceId ?? '');
  for (const share of [0, 0.01, 0.5, 1]) {
    const taken = ids.filter(sampleShare(share)).length / ids.length;
    expect(taken).toBeGreaterThanOrEqual(share - 0.02);
    expect(taken).toBeLessThanOrEqual(share + 0.02);
  }
  const id = fc.stringMatching(/^[\da-f]{32}$/);
  const shares = fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  );
  fc.assert(
    fc.property(id, shares, (traceId, [one, other]) => {
      const [smaller, larger] = [Math.min(one, other), Math.max(one, other)];
      expect(!sampleShare(smaller)(traceId) || sampleShare(larger)(traceId)).toBe(true);
    }),
  );
});
