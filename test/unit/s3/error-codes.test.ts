import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorCodes, isErrorCode } from '../../../src/s3/error-codes.ts';

const page = new URL('../../../docs/semantics.md', import.meta.url);
/** Pairs such as `404 NoSuchKey`, as the rows of the page name them. */
const pairs = [...readFileSync(page, 'utf8').matchAll(/\b([3-5]\d\d) ((?:KMS\.)?[A-Z]\w+[a-z]\w*)/g)];
const stated = pairs
  .map(([, status, code = '']) => ({ status: Number(status), code }))
  .filter(({ code }) => isErrorCode(code));

describe('errorCodes', () => {
  it('gives a code the status that docs/semantics.md gives it', () => {
    expect(new Set(stated.map(({ code }) => code)).size).toBeGreaterThan(25);
    const known = new Map<string, { status: number }>(Object.entries(errorCodes));
    for (const { code, status } of stated)
      expect({ code, status: known.get(code)?.status }).toEqual({ code, status });
  });

  it('has no code of a name that objects inherit', () => {
    for (const name of ['constructor', 'toString', '__proto__']) expect(isErrorCode(name)).toBe(false);
  });
});
