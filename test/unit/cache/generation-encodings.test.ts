import { describe, expect, it } from 'vitest';
import type { Coverage } from '../../../src/cache/coverage.ts';
import { GenerationEncodings } from '../../../src/cache/generation-encodings.ts';
import { PartMap } from '../../../src/cache/part-map.ts';

class Made {
  readonly sizeBytes = 10;
  readonly parts = new PartMap([], undefined);
  readonly costBytes = 1_000;
  readonly heldBytes = 10;
  isIdle = true;
  held: Coverage = 'all';
  retired = 0;

  coverage(): Coverage {
    return this.held;
  }

  retire(): void {
    this.retired++;
  }

  lend() {
    return undefined;
  }

  peekText() {
    return undefined;
  }

  open(): never {
    throw new Error('nothing is read here');
  }
}

/** Encodings whose making the test ends. */
function encodings() {
  const ends: ((outcome: Made | 'no-gain' | undefined) => void)[] = [];
  let grown = 0;
  const all = new GenerationEncodings<Made>(
    () => new Promise(resolve => ends.push(resolve)),
    () => grown++,
  );
  return { all, ends, grown: () => grown };
}

describe('contents that are made of another one', () => {
  it('are made once at a time, and are at hand then', async () => {
    const { all, ends, grown } = encodings();
    all.make('br');
    const [one, other] = [all.made('br'), all.made('br')];
    await Promise.resolve();
    expect([ends.length, all.in('br'), all.isIdle]).toEqual([1, undefined, false]);
    const made = new Made();
    ends[0]?.(made);
    expect([await one, await other, all.in('br')]).toEqual([made, made, made]);
    expect([all.in('gzip'), all.isIdle, grown(), all.heldBytes]).toEqual([undefined, true, 1, 10]);
    expect(all.costBytes).toBeGreaterThan(1_000);
    expect(await all.made('br')).toBe(made);
    expect(ends.length).toBe(1);
  });

  it('are not tried again where nothing was gained, and are where they could not be made', async () => {
    const { all, ends } = encodings();
    const useless = all.made('br');
    const failed = all.made('gzip');
    await Promise.resolve();
    ends[0]?.('no-gain');
    ends[1]?.(undefined);
    expect([await useless, await failed]).toEqual(['no-gain', undefined]);
    expect(await all.made('br')).toBe('no-gain');
    all.make('gzip');
    await Promise.resolve();
    expect(ends.length).toBe(3);
  });

  it('are given up when some of their bytes were evicted, and made anew', async () => {
    const { all, ends } = encodings();
    const made = new Made();
    const first = all.made('br');
    await Promise.resolve();
    ends[0]?.(made);
    await first;
    made.held = 'some';
    expect([all.in('br'), made.retired, all.heldBytes]).toEqual([undefined, 1, 0]);
    all.make('br');
    await Promise.resolve();
    expect(ends.length).toBe(2);
  });

  it('go with the content, also what is still being made', async () => {
    const { all, ends } = encodings();
    const [held, late] = [new Made(), new Made()];
    const first = all.made('br');
    const second = all.made('gzip');
    await Promise.resolve();
    ends[0]?.(held);
    await first;
    all.retire();
    ends[1]?.(late);
    expect(await second).toBeUndefined();
    expect([held.retired, late.retired, all.in('br'), all.in('gzip')]).toEqual([1, 1, undefined, undefined]);
  });

  it('are packed with nothing while one is read', async () => {
    const { all, ends } = encodings();
    const made = new Made();
    const first = all.made('br');
    await Promise.resolve();
    ends[0]?.(made);
    await first;
    made.isIdle = false;
    expect(all.isIdle).toBe(false);
  });
});
