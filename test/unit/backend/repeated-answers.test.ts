import { afterEach, expect, it } from 'vitest';
import { ask, RawOrigin } from '../../support/raw-origin.ts';

let origin: RawOrigin | undefined;

afterEach(() => origin?.close());

type Headed = (path: string) => string;

/**
 * Answers each path with `headOf` it. What was asked for as `/twice` is answered a second time, in place of the answer to the next
 * question but `beside` on its connection, which comes after it.
 */
async function start(headOf: Headed, { connections = 1, beside = 0 } = {}) {
  const copies = new WeakMap<object, { text: string; left: number }>();
  const seen: object[] = [];
  origin = await RawOrigin.start('http', (path, connection) => {
    if (!seen.includes(connection)) seen.push(connection);
    const text = `HTTP/1.1 200 OK\r\n${headOf(path)}content-length: ${path.length}\r\n\r\n${path}`;
    const copy = copies.get(connection);
    connection.write(copy?.left === 0 ? copy.text : text);
    if (copy) copy.left--;
    if (path === '/twice') copies.set(connection, { text, left: beside });
  });
  return { pool: origin.pool({ connections }), seen };
}

/** The paths of the answers, or the codes of the errors. */
async function askAll(pool: Parameters<typeof ask>[0], paths: readonly string[]): Promise<string[]> {
  const got: string[] = [];
  for (const path of paths)
    got.push(
      await ask(pool, path).then(
        ({ body }) => body.toString(),
        ({ code }: { code: string }) => code,
      ),
    );
  return got;
}

/** Each answer has a number of its own. */
function numbering(name = 'x-amz-request-id'): Headed {
  let count = 0;
  return () => `${name}: ${++count}\r\n`;
}

it.each([
  ['another question', 0, ['/first', '/twice', '/other', '/third'], ['/first', '/twice', 'BROKEN', '/third']],
  [
    'the same question',
    0,
    ['/first', '/twice', '/twice', '/third'],
    ['/first', '/twice', 'BROKEN', '/third'],
  ],
  ['one after others', 1, ['/twice', '/a', '/b', '/c'], ['/twice', '/a', 'BROKEN', '/c']],
])(
  'an answer that comes a second time, to %s, is not taken for that',
  async (_what, beside, paths, expected) => {
    const { pool, seen } = await start(numbering('X-Amz-Request-Id'), { beside });
    expect(await askAll(pool, paths)).toEqual(expected);
    expect(seen).toHaveLength(2);
    await pool.close();
  },
);

it.each<[string, Headed]>([
  ['that have no number', () => ''],
  ['that all have one number', () => 'x-amz-request-id: 1\r\n'],
  ['that have one number with two heads', path => `x-amz-request-id: 1\r\netag: "${path}"\r\n`],
])('answers %s are what they seem', async (_what, headOf) => {
  const { pool, seen } = await start(headOf);
  const paths = ['/a', '/b', '/a', '/a', '/b'];
  expect(await askAll(pool, paths)).toEqual(paths);
  expect(seen).toHaveLength(1);
  await pool.close();
});

it('where a cache repeats numbers, that costs one connection', async () => {
  const { pool, seen } = await start(path => `x-amz-request-id: ${path}\r\n`);
  const asked = ['/a', '/b', '/a', '/a', '/b', '/b', '/a'];
  expect(await askAll(pool, asked)).toEqual(['/a', '/b', 'BROKEN', '/a', '/b', '/b', '/a']);
  expect(seen).toHaveLength(2);
  await pool.close();
});
