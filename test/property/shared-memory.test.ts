import type { Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OriginPool } from '../../src/backend/origin-pools.ts';
import { ask, RawOrigin } from '../support/raw-origin.ts';

/** Bytes of which every eight tell the answer and where they are in it. */
function content(id: number, lengthBytes: number): Buffer {
  const bytes = Buffer.alloc(Math.ceil(lengthBytes / 8) * 8);
  for (let at = 0; at < bytes.length; at += 8) {
    bytes.writeUInt32BE(id, at);
    bytes.writeUInt32BE(at, at + 4);
  }
  return bytes.subarray(0, lengthBytes);
}

interface Plan {
  readonly framing: 'length' | 'chunked' | 'close';
  readonly lengthBytes: number;
  readonly chunkBytes: number;
  readonly hasExtensions: boolean;
  readonly fieldBytes: number;
  /** Where the answer is cut into pieces, as shares of its length. */
  readonly cuts: readonly number[];
  /** The chunks of the body that are paused at. */
  readonly pauseEvery: number;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  framing: fc.constantFrom('length', 'length', 'chunked', 'chunked', 'close'),
  lengthBytes: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 700_000 })),
  chunkBytes: fc.oneof(fc.integer({ min: 200, max: 3_000 }), fc.integer({ min: 3_000, max: 300_000 })),
  hasExtensions: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
  fieldBytes: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 12_000 })),
  cuts: fc.array(
    fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 0.02, noNaN: true })),
    {
      maxLength: 5,
    },
  ),
  pauseEvery: fc.constantFrom(1, 2, 5, Number.POSITIVE_INFINITY),
});

const field = (id: number, { fieldBytes }: Plan) => `${id}-`.repeat(fieldBytes).slice(0, fieldBytes);

function wireOf(id: number, plan: Plan): Buffer {
  const body = content(id, plan.lengthBytes);
  const first = `HTTP/1.1 200 OK\r\nx-field: ${field(id, plan)}\r\n`;
  if (plan.framing === 'close')
    return Buffer.concat([Buffer.from(`${first}connection: close\r\n\r\n`), body]);
  if (plan.framing === 'length')
    return Buffer.concat([Buffer.from(`${first}content-length: ${body.length}\r\n\r\n`), body]);
  const chunks: Buffer[] = [Buffer.from(`${first}transfer-encoding: chunked\r\n\r\n`)];
  const extension = plan.hasExtensions ? `;id=${id}` : '';
  for (let at = 0; at < body.length; at += plan.chunkBytes) {
    const chunk = body.subarray(at, at + plan.chunkBytes);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...chunks, Buffer.from(`0\r\nx-trailer: ${field(id, plan)}\r\n\r\n`)]);
}

let plans: readonly Plan[] = [];
let origin: RawOrigin;
let pool: OriginPool;

/** Writes piece after piece, giving the others' pieces a turn in between. */
async function answer(connection: Socket, id: number): Promise<void> {
  const plan = plans[id];
  if (!plan) return;
  const wire = wireOf(id, plan);
  const ends = plan.cuts.map(share => Math.floor(share * wire.length)).sort((a, b) => a - b);
  let at = 0;
  for (const end of [...ends, wire.length]) {
    connection.write(wire.subarray(at, end));
    at = end;
    for (let turn = 0; turn < 4; turn++) await new Promise(resolve => setImmediate(resolve));
  }
  if (plan.framing === 'close') connection.end();
}

beforeAll(async () => {
  origin = await RawOrigin.start(
    'http',
    (path, connection) => void answer(connection, Number(path.slice(1))),
  );
  pool = origin.pool();
});
afterAll(async () => {
  await pool.close();
  await origin.close();
});

it('answers that arrive in any pieces on connections that share memory hold only their own bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 2, maxLength: 6 }), async drawn => {
      plans = drawn;
      const answers = await Promise.all(
        drawn.map(({ pauseEvery }, id) => {
          let chunks = 0;
          return ask(pool, `/${id}`, (_chunk, call) => {
            if (++chunks % pauseEvery !== 0) return;
            call.pause();
            setImmediate(() => call.resume());
          });
        }),
      );
      drawn.forEach((plan, id) => {
        const got = answers[id];
        expect(got?.headers.slice(0, 2)).toEqual(['x-field', field(id, plan)]);
        expect(got?.body.equals(content(id, plan.lengthBytes)), `body of ${id}`).toBe(true);
      });
    }),
    { numRuns: 60 },
  );
});
