import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { continueBytes, mayBecomeContinue } from '../../../src/transport/continue-heads.ts';
import { ask, RawOrigin } from '../../support/raw-origin.ts';

const plain = 'HTTP/1.1 100 Continue\r\n\r\n';
const withFields = 'HTTP/1.1 100\r\nX-A: b\r\n\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
const final = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n100 ';

it.each([
  ['', 0],
  [final, 0],
  [plain, plain.length],
  [plain + final, plain.length],
  [plain + withFields + final, plain.length + withFields.length],
  [plain + hints + plain, plain.length],
  [plain.slice(0, -1), 0],
  ['HTTP/1.1 1000 x\r\n\r\n', 0],
  [`x${plain}`, 0],
])('%j begins with so many bytes of 100 Continue: %i', (text, lengthBytes) => {
  expect(continueBytes(Buffer.from(text))).toBe(lengthBytes);
});

it('any beginning of it may become one, and of nothing else, nor when it is too long', () => {
  for (let end = 0; end < withFields.length; end++)
    expect(mayBecomeContinue(Buffer.from(withFields.slice(0, end))), withFields.slice(0, end)).toBe(true);
  for (const other of ['HTTP/1.1 2', 'HTTP/2', final, hints, 'x', withFields.padEnd(4 * 1024, 'x')])
    expect(mayBecomeContinue(Buffer.from(other)), other.slice(0, 20)).toBe(false);
});

describe('an answer behind it (RFC 9110 §15.2)', () => {
  let origin: RawOrigin;
  afterEach(() => origin.close());

  it.each(['http', 'https'] as const)('is taken however the bytes come, over %s', async protocol => {
    let pieces: readonly string[] = [];
    origin = await RawOrigin.start(protocol, (_path, connection) => {
      const [first = '', ...others] = pieces;
      connection.write(first);
      const next = () => {
        const piece = others.shift();
        if (piece !== undefined) connection.write(piece, () => setImmediate(next));
      };
      setImmediate(next);
    });
    const pool = origin.pool({ connections: 1 });
    const heads = fc.array(fc.constantFrom(plain, withFields, hints), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(heads, fc.array(fc.nat(200), { maxLength: 6 }), async (before, cuts) => {
        const text = before.join('') + final;
        const places = [0, ...cuts.filter(cut => cut > 0 && cut < text.length).toSorted((a, b) => a - b)];
        pieces = places.map((start, index) => text.slice(start, places[index + 1]));
        const { status, body } = await ask(pool, '/');
        expect([status, body.toString()]).toEqual([200, '100 ']);
      }),
      { numRuns: 60 },
    );
    await pool.close();
  });

  it('is missing where the connection ends behind it', async () => {
    for (const sent of [plain, plain.slice(0, 10)]) {
      origin = await RawOrigin.start('http', (_path, connection) => void connection.end(sent));
      const pool = origin.pool({ connections: 1 });
      await expect(ask(pool, '/')).rejects.toMatchObject({ code: 'BROKEN' });
      await pool.close();
      if (sent === plain) await origin.close();
    }
  });
});

it('bytes of a body that look like it are left alone', async () => {
  const origin = await RawOrigin.start('http', (_path, connection) => {
    connection.write('HTTP/1.1 200 OK\r\n\r\n');
    setImmediate(() => {
      connection.write(plain);
      setImmediate(() => connection.end(plain));
    });
  });
  const pool = origin.pool();
  const { body } = await ask(pool, '/');
  expect(body.toString()).toBe(plain + plain);
  await pool.close();
  await origin.close();
});
