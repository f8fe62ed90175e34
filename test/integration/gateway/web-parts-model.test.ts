import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ManualClock } from '../../support/manual-clock.ts';
import { ScriptedOrigin } from '../../support/scripted-origin.ts';
import { describingBytes, misplaced } from '../../support/self-describing.ts';
import { TestGateway } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const sizeBytes = 96;

/** Of a step some happen at once: what waits for what then is a matter of chance. */
type Act =
  | { readonly kind: 'read'; readonly range: string | undefined; readonly method: 'GET' | 'HEAD' }
  | { readonly kind: 'publish' | 'change' | 'purge' | 'age' };

interface Scenario {
  readonly workers: number;
  readonly tag: 'weak' | 'none' | 'strong';
  readonly maxAgeS: number;
  readonly steps: readonly (readonly Act[])[];
}

const range = fc.constantFrom(
  ...([
    'bytes=0-15',
    'bytes=0-15',
    'bytes=0-31',
    'bytes=8-15',
    'bytes=16-',
    'bytes=-16',
    'bytes=-8',
  ] as const),
  ...(['bytes=80-200', undefined] as const),
);
const reading: fc.Arbitrary<Act> = fc.record({
  kind: fc.constant('read' as const),
  range,
  method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD'),
});
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: reading },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom<'publish' | 'change' | 'purge' | 'age'>('publish', 'change', 'purge', 'age'),
    }),
  },
);
const scenario: fc.Arbitrary<Scenario> = fc.record({
  workers: fc.constantFrom(1, 2),
  tag: fc.constantFrom('weak', 'none', 'weak', 'none', 'strong'),
  maxAgeS: fc.constantFrom(0, 5, 60),
  steps: fc.array(fc.array(act, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 8 }),
});

/** First and last byte of what a client asks for. */
function selected(asked: string | undefined): readonly [number, number] {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(asked ?? '') ?? [];
  if (from === '') return [sizeBytes - Number(to), sizeBytes - 1];
  return [
    Number(from ?? 0),
    to === undefined || to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1),
  ];
}

it('readers of ranges get bytes of one version, those that the answer names, and what they have asked for', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ workers, tag, maxAgeS, steps }) => {
      let version = 1;
      /** What came before this one is never seen again. */
      let leastVersion = 1;
      const clock = new ManualClock();
      const held: (() => void)[] = [];
      const origin = await ScriptedOrigin.start(({ method, headers }, response) => {
        if (method === 'POST') {
          leastVersion = ++version;
          response.writeHead(204).end();
          return;
        }
        const now = version;
        const [first, last] = selected(headers.range);
        const etag = { weak: { etag: `W/"${now}"` }, strong: { etag: `"${now}"` }, none: {} }[tag];
        const head = { ...etag, 'cache-control': `max-age=${maxAgeS}`, 'x-version': now };
        const part = {
          'content-range': `bytes ${first}-${last}/${sizeBytes}`,
          'content-length': last - first + 1,
        };
        held.push(() => {
          if (headers['if-match'] !== undefined && headers['if-match'] !== `"${now}"`)
            response.writeHead(412).end();
          else if (headers['if-none-match'] !== undefined && headers['if-none-match'] === etag.etag)
            response.writeHead(304, head).end();
          else if (headers.range === undefined || method === 'HEAD')
            response
              .writeHead(200, { ...head, 'content-length': sizeBytes })
              .end(describingBytes({ object: 1, version: now }, 0, sizeBytes));
          else
            response
              .writeHead(206, { ...head, ...part })
              .end(describingBytes({ object: 1, version: now }, first, last + 1));
        });
      });
      const gateway = await TestGateway.start({
        ...{ storeUrl: 'http://127.0.0.1:1', buckets: {}, web: { url: origin.url, name: '/' } },
        ...{ workers, clock, policy: { ttlMs: 0 } },
      });
      const check = async (asked: Extract<Act, { kind: 'read' }>, worker: number) => {
        const least = leastVersion;
        const headers: Record<string, string> = asked.range === undefined ? {} : { range: asked.range };
        const got = await gateway.send(asked.method, '/k', headers, worker).catch(() => undefined);
        // of a strong tag the rest may be gone by now
        if (!got) return expect(tag).toBe('strong');
        const known = Number(got.headers['x-version']);
        expect(known).toBeGreaterThanOrEqual(least);
        const mayBePart = asked.range !== undefined && asked.method === 'GET';
        const isPart = got.status === 206;
        // of what is stale all is asked for, to confirm it, and the first reader gets that if it has changed
        expect([200, mayBePart ? 206 : 200]).toContain(got.status);
        const [first, last] = isPart ? selected(asked.range) : [0, sizeBytes - 1];
        expect(got.headers['content-range']).toBe(isPart ? `bytes ${first}-${last}/${sizeBytes}` : undefined);
        expect(got.headers.vary).toBeUndefined();
        if (asked.method === 'HEAD') return;
        expect(got.body).toHaveLength(last - first + 1);
        expect(misplaced({ object: 1, version: known }, first, got.body)).toBeUndefined();
      };
      try {
        for (const [number, acts] of steps.entries()) {
          const under: Promise<unknown>[] = [];
          for (const [index, step] of acts.entries())
            if (step.kind === 'read') under.push(check(step, (number + index) % workers));
            else if (step.kind === 'change') under.push(gateway.send('POST', '/k', {}, number % workers));
            else if (step.kind === 'publish') version++;
            else if (step.kind === 'purge') {
              for (const one of gateway.gateways) one.purge({ kind: 'prefix', bucket: '/', prefix: '' });
              leastVersion = version;
            } else clock.advance(5_000);
          let isOver = false;
          const over = Promise.allSettled(under).finally(() => {
            isOver = true;
          });
          await turnsUntil('all are answered', () => {
            for (const answer of held.splice(0)) answer();
            return isOver;
          });
          await over;
          await Promise.all(under);
        }
      } finally {
        await gateway.close();
        await origin.close();
      }
    }),
    { numRuns: 60 },
  );
});
