import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RepeatedAnswers } from '../../../src/backend/repeated-answers.ts';
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
async function askAll(
  pool: Parameters<typeof ask>[0],
  paths: readonly string[],
  method = 'GET',
): Promise<string[]> {
  const got: string[] = [];
  for (const path of paths)
    got.push(
      await ask(pool, path, undefined, method).then(
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

it('of a write it is passed on, since another one may look the same; it is the last on its connection', async () => {
  const { pool, seen } = await start(numbering());
  expect(await askAll(pool, ['/first', '/twice', '/other', '/third'], 'PUT')).toEqual([
    ...['/first', '/twice', '/twice', '/third'],
  ]);
  expect(seen).toHaveLength(2);
  await pool.close();
});

describe('answers of a store', () => {
  let answers: RepeatedAnswers;

  beforeEach(() => {
    answers = new RepeatedAnswers();
  });

  const open = () => ({ errored: null, destroyed: false, destroy: () => undefined });
  const one = open();
  /** Whether each is a repetition: the number, and what else its head says. */
  const judge = (connection: typeof one, ...told: (readonly [id: string, ...more: string[]])[]) =>
    told.map(([id, ...more]) => answers.isRepeated(connection, 200, ['x-amz-request-id', id, ...more]));

  it.each(['Date', 'age', 'Connection', 'Keep-Alive'])('that differ in %s alone are one', name => {
    expect(judge(one, ['1'], ['2', name, 'a'], ['2', name, 'b'])).toEqual([false, false, true]);
  });

  it.each(['etag', 'x-amz-id-2'])('that differ in %s are not', name => {
    expect(judge(one, ['1'], ['2', name, 'a'], ['2', name, 'b'])).toEqual([false, false, false]);
  });

  it('that differ in their status are not', () => {
    judge(one, ['1'], ['2']);
    expect(answers.isRepeated(one, 404, ['x-amz-request-id', '2'])).toBe(false);
  });

  it('are remembered by connection, however many come on others', () => {
    const other = open();
    judge(one, ['a']);
    for (let count = 0; count < 3_000; count++) judge(other, [`${count}`]);
    expect(judge(one, ['a'])).toEqual([true]);
  });

  it('are forgotten after 128 others on their connection', () => {
    const others = (count: number) => Array.from({ length: count }, (_, index) => [`${index}`] as const);
    judge(one, ['a'], ...others(127));
    expect(judge(one, ['a'])).toEqual([true]);
    judge(one, ['b'], ...others(256).slice(128));
    expect(judge(one, ['b'])).toEqual([false]);
  });

  it('that say more than a number are not numbered', () => {
    const long = 'x'.repeat(129);
    expect(judge(one, ['1'], [long], [long], [long.slice(1)], [long.slice(1)])).toEqual([
      ...[false, false, false],
      ...[false, true],
    ]);
  });

  it.each([
    ['with two heads', () => judge(one, ['1', 'etag', 'b'])],
    ['on two open connections', () => judge(open(), ['1', 'etag', 'b'])],
    [
      'with the same head on another connection, though the first is closed',
      () => {
        const [closed, next] = [{ ...open(), destroyed: true }, open()];
        judge(closed, ['3']);
        judge(next, ['3']);
      },
    ],
  ])('are not numbered one by one where a number is seen %s, for a while', (_how, happens) => {
    judge(one, ['1', 'etag', 'a'], ['2']);
    happens();
    for (let count = 0; count < 1_000; count++) expect(judge(one, ['5'])).toEqual([false]);
    expect(judge(one, ['6'], ['7'], ['7'])).toEqual([false, false, true]);
  });

  it('may be counted anew when their connection is closed', () => {
    judge({ ...open(), destroyed: true }, ['1', 'etag', 'a'], ['2', 'etag', 'b']);
    expect(judge(one, ['1', 'etag', 'c'], ['2', 'etag', 'd'], ['2', 'etag', 'd'])).toEqual([
      false,
      false,
      true,
    ]);
  });
});
