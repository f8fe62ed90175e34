import { afterEach, expect, it } from 'vitest';
import { ManualClock } from '../../support/manual-clock.ts';
import type { ScriptedOrigin } from '../../support/scripted-origin.ts';
import type { TestGateway } from '../../support/test-gateway.ts';
import { startWebGateway } from '../../support/web-gateway.ts';

const fresh = { 'cache-control': 'max-age=60' };
const policy = { namedTtls: [{ status: 400, ttlMs: 4_000 }] };

let origin: ScriptedOrigin;
let gateway: TestGateway;

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

it.each([
  { status: 500, workers: 1 },
  { status: 500, workers: 2 },
  { status: 400, workers: 1 },
  { status: 400, workers: 2 },
])(
  'an error that came last and varies by nothing is in the place of no variant that is held ($status, $workers workers)',
  async ({ status, workers }) => {
    ({ origin, gateway } = await startWebGateway(
      ({ headers }) =>
        headers['accept-language'] === 'fr' ? { status, head: fresh } : { ...fresh, vary: 'accept-language' },
      { policy, workers },
    ));
    const read = async (language: string) => (await gateway.get('/', { 'accept-language': language })).status;
    expect([await read('de'), await read('fr')]).toEqual([200, status]);
    // by each worker
    for (let time = 0; time < 4; time++) expect(await read('de')).toBe(200);
    expect(await read('fr')).toBe(status);
    expect(origin.asked).toHaveLength(2);
  },
);

it('an error that is stale is replaced by the next, which is kept as long', async () => {
  const clock = new ManualClock();
  const answer = { status: 500, head: fresh };
  ({ origin, gateway } = await startWebGateway(() => answer, {
    policy: { ...policy, negativeTtlMs: 5_000 },
    clock,
  }));
  const told = async () => (await gateway.get('/')).headers['x-cache'];
  for (const asked of [1, 2, 3]) {
    expect([await told(), await told(), origin.asked.length]).toEqual([
      expect.not.stringMatching('HIT'),
      'HIT',
      asked,
    ]);
    clock.advance(6_000);
  }
});
