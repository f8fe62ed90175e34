import { describe, expect, it } from 'vitest';
import type { Content } from '../../../../src/cache/content.ts';
import type { GenerationIdentity } from '../../../../src/cache/generation-identity.ts';
import type { Asked, ReadableRecord } from '../../../../src/cache/record.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { Succession } from '../../../../src/gateway/request/succession.ts';
import type { WebCache } from '../../../../src/gateway/web/filling-cache.ts';
import type { WebContentRead, WebRead } from '../../../../src/gateway/web/web-read.ts';
import { WebRecords } from '../../../../src/gateway/web/web-records.ts';
import type { WebBucket } from '../../../../src/gateway/web/web-target.ts';
import { WorkerCache } from '../../../../src/gateway/workers/worker-cache.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { testKey } from '../../../support/object-keys.ts';
import { bucketOf, readOf as objectReadOf } from '../../../support/object-reads.ts';
import { recordOf } from '../../../support/records.ts';

it('what is asked for a bucket that a reload has moved is shared with nobody', () => {
  const cache = {
    epochs: { current: () => 7 },
    barriers: { latest: 3 },
    unsettled: { has: () => false },
    table: { get: () => undefined },
    revive: () => undefined,
  } as unknown as WebCache;
  const records = new WebRecords(cache);
  const bucket = bucketOf() as WebBucket;
  const read = { bucket, target: { target: '/k', key: testKey('main', 'b', '/k') } };
  expect(records.askedNow(read)).toEqual({ epoch: 7, barrier: 3, isUnsettled: false, heldTags: [] });
  bucket.succession.replacedBy(new Succession(), new Set([bucket.epochs.bucketSlot]));
  expect(records.askedNow(read).epoch).toBeLessThan(0);
});

const key = testKey('web', '/', '/k');
const cache = () =>
  new WorkerCache({
    ...{ memory: allocateSharedMemory(8 * 65_536, 65_536, 1), worker: 0, recordBytes: 10_000_000 },
    ...{ clock: new ManualClock(), random: () => 0.5, retried: () => undefined },
  });

const read = {
  ...{ bucket: bucketOf(), target: { target: '/k', key } },
  variantName: (names: readonly string[]) => names.join(),
} as unknown as WebRead;

describe('law 5: a question that was sent before', () => {
  const answerOf = (tagSlots: readonly number[], vary: readonly string[] = []): ReadableRecord => ({
    ...{ ...recordOf({ sizeBytes: 0 } as Content), tagSlots },
    answer: { status: 200, vary },
  });

  it.each([
    ['hard', 'its answer has', [], [4], []],
    ['soft', 'another variant had then', [4], [], []],
    ['soft', 'another variant has that was learned since', [], [], [4]],
  ] as const)(
    'a %s purge by a tag that %s brings nothing that is kept',
    (kind, _what, before, own, since) => {
      const held = cache();
      const records = new WebRecords(held);
      const made = { requestedMs: 0, dateMs: undefined };
      const variant = (tagSlots: readonly number[]) =>
        records.store(read, answerOf(tagSlots, ['a']), { ...made, heldTags: [] });
      if (before.length > 0) variant(before);
      const { heldTags } = records.askedNow(read);
      if (before.length > 0) held.table.drop(key.text);
      if (since.length > 0) variant(since);
      held.barriers.raise({ kind: 'tag', slot: 5 }, kind, 0);
      expect(records.store(read, answerOf(own), { ...made, heldTags }), 'another tag').toBe(true);
      held.table.forget(key, '');
      held.barriers.raise({ kind: 'tag', slot: 4 }, kind, 0);
      expect(records.store(read, answerOf(own), { ...made, heldTags })).toBe(false);
    },
  );

  it('a write is joined by nobody', () => {
    const held = cache();
    const records = new WebRecords(held);
    const asked = records.askedNow(read);
    expect(records.isStillAsked(read, asked)).toBe(true);
    held.epochs.raise(key.keySlot);
    expect(records.isStillAsked(read, asked)).toBe(false);
  });
});

describe('bytes under a strong tag', () => {
  const identity: GenerationIdentity = {
    ...{ objectKey: key.text, versionId: undefined, entityTag: '"1"', sizeBytes: 10 },
    contentEncoding: undefined,
  };
  const asked: WebContentRead = {
    ...{ ...objectReadOf('/k'), objectKey: key, bucket: bucketOf() as WebBucket, selecting: [] },
  };

  /** Where an answer with these bytes is held. */
  function holding() {
    const held = cache();
    const records = new WebRecords(held);
    const contentOf = (known: Asked, different: Partial<GenerationIdentity> = {}, tagSlots = [4]) =>
      records.contentOf(read, asked, { ...identity, ...different }, known, tagSlots);
    const known = records.askedNow(read);
    const content = contentOf(known);
    const { epoch, barrier } = known;
    const record = { ...recordOf(content), epoch, barrier, answer: { status: 200, vary: [] } };
    expect(records.store(read, record, { requestedMs: 0, dateMs: undefined, heldTags: [] })).toBe(true);
    return { held, records, contentOf, known, content };
  }

  it.each([
    ['size', { sizeBytes: 11 }],
    ['coding', { contentEncoding: 'br' }],
    ['tag', { entityTag: '"2"' }],
  ])('are those that are held, unless their %s is another', (_, different) => {
    const { contentOf, known, content } = holding();
    expect(contentOf(known)).toBe(content);
    expect(contentOf(known, different)).not.toBe(content);
  });

  it('from before a write are none of what is asked for after it (law 5)', () => {
    const { held, records, contentOf, content } = holding();
    held.epochs.raise(key.keySlot);
    expect(contentOf(records.askedNow(read))).not.toBe(content);
  });

  it('from before a write are none of what was asked for before, and comes after it (law 5)', () => {
    const { held, contentOf, known, content } = holding();
    held.epochs.raise(key.keySlot);
    expect(contentOf(known)).not.toBe(content);
  });

  it('from before a purge by a tag are none of what has that tag, and comes after it (law 5)', () => {
    const { held, contentOf, known, content } = holding();
    held.barriers.raise({ kind: 'tag', slot: 4 }, 'hard', 0);
    expect(contentOf(known)).not.toBe(content);
  });
});

it('one answer ends 128 groups at most', () => {
  const held = cache();
  const records = new WebRecords(held);
  const { latest } = held.barriers;
  const groups = Array.from({ length: 129 }, (_, number) => `${number}`);
  const times = { ...records.askedNow(read), requestedMs: 0, receivedMs: 0, groupSlots: Number };
  records.invalidateGroups(groups, times);
  const isEnded = (slot: number) => held.barriers.removes(key.text, [slot], latest);
  expect([0, 127, 128].map(isEnded)).toEqual([true, true, false]);
});

describe('the lists of fields by which the answers of one name vary', () => {
  /** A read whose fields are all `value`; `named` counts the lists that it is looked at for. */
  function readOf(value: string) {
    const counted = { named: 0 };
    const variantName = (names: readonly string[]) => {
      counted.named++;
      return names.map(name => `${name}=${value};`).join('');
    };
    const read = { bucket: bucketOf(), target: { target: '/k', key }, variantName } as unknown as WebRead;
    return { read, counted };
  }

  function answerOf(receivedMs: number, vary: readonly string[]): ReadableRecord {
    return { ...recordOf({ sizeBytes: 0 } as Content), receivedMs, answer: { status: 200, vary } };
  }

  const madeAt = (requestedMs: number) => ({ requestedMs, dateMs: undefined, heldTags: [] });

  /** A read that selects none of the answers but those that vary by one of `fields` alone. */
  function selecting(...fields: readonly string[]): WebRead {
    const variantName = ([name = '']: readonly string[]) => (fields.includes(name) ? `${name}=x;` : 'none');
    return { ...readOf('x').read, variantName } as unknown as WebRead;
  }

  it('are looked at once for a request, however many answers vary by them', () => {
    const records = new WebRecords(cache());
    for (let number = 0; number < 64; number++)
      records.store(readOf(`${number}`).read, answerOf(number, ['a']), madeAt(number));
    const { read, counted } = readOf('7');
    expect(records.find(read)?.receivedMs).toBe(7);
    expect(counted.named).toBe(1);
    expect(records.find(readOf('64').read)).toBeUndefined();
  });

  it.each([
    ['asked for before it came: that with the earlier date is not kept', [20, 1_000], false],
    ['of one date: that counts which was asked for later', [20, 5_000], true],
    ['of one date: not that which was asked for before', [5, 5_000], false],
    ['one has no date: that counts which was asked for later', [20, undefined], true],
    ['asked for once it had come, whatever clocks of origins say', [41, 1_000], true],
  ] as const)('hold one of two answers (%s)', (_what, [requestedMs, dateMs], isKept) => {
    const records = new WebRecords(cache());
    const { read } = readOf('x');
    const [held, other] = [answerOf(40, ['a']), answerOf(50, ['a'])];
    records.store(read, held, { requestedMs: 10, dateMs: 5_000, heldTags: [] });
    expect(records.store(read, other, { requestedMs, dateMs, heldTags: [] })).toBe(isKept);
    expect(records.find(read)).toBe(isKept ? other : held);
  });

  it('hold an answer in the place of a later one that tells of the server alone', () => {
    const records = new WebRecords(cache());
    const { read } = readOf('x');
    const failing = { ...answerOf(40, []), answer: { status: 503, vary: [] } };
    records.store(read, failing, { requestedMs: 20, dateMs: undefined, heldTags: [] });
    const page = answerOf(50, []);
    expect(records.store(read, page, madeAt(10))).toBe(true);
    expect(records.find(read)).toBe(page);
  });

  it('hold what was withdrawn by its date still', () => {
    const records = new WebRecords(cache());
    const { read } = readOf('x');
    const dated = { ...answerOf(90_000, []), fields: [httpHeader('date', new Date(80_000).toUTCString())] };
    records.store(read, dated, { requestedMs: 79_000, dateMs: 80_000, heldTags: [] });
    records.withdraw(read, dated);
    const other = answerOf(95_000, []);
    expect(records.store(read, other, { requestedMs: 82_000, dateMs: 85_000, heldTags: [] })).toBe(true);
  });

  it('are withdrawn once: nobody is told again', () => {
    const records = new WebRecords(cache());
    const { read } = readOf('x');
    const held = answerOf(1, []);
    records.store(read, held, madeAt(1));
    records.withdraw(read, held);
    const told = records.changesOf(read);
    const withdrawn = records.find(read);
    expect(withdrawn?.isWithdrawn).toBe(true);
    if (withdrawn) records.withdraw(read, withdrawn);
    expect([records.find(read), records.changesOf(read)]).toEqual([withdrawn, told]);
  });

  it('is not replaced by what was asked for before it was found outdated', () => {
    const records = new WebRecords(cache());
    const { read } = readOf('x');
    const held = answerOf(1, []);
    records.store(read, held, madeAt(1));
    records.outdate(read, held, 50);
    expect(records.store(read, answerOf(60, []), madeAt(49))).toBe(false);
    expect(records.find(read)).toMatchObject({ receivedMs: 1, staleFromMs: 50 });
    expect(records.store(read, answerOf(70, []), madeAt(50))).toBe(true);
    expect(records.find(read)?.receivedMs).toBe(70);
  });

  it('hide those before them, also where their own bytes are lost', () => {
    const records = new WebRecords(cache());
    const { read } = readOf('x');
    let isHeld = true;
    const content = { sizeBytes: 9, coverage: () => (isHeld ? 'all' : 'none') } as unknown as Content;
    const last = { ...answerOf(2, ['b']), content, sizeBytes: 9, entityTag: 'W/"2"' };
    for (const held of [answerOf(1, ['a']), last]) records.store(read, held, madeAt(held.receivedMs));
    expect(records.find(read)).toBe(last);
    isHeld = false;
    expect(records.find(read)).toBeUndefined();
  });

  it('whose rest was refused are forgotten, and that is remembered', () => {
    const records = new WebRecords(cache());
    const { read } = readOf('x');
    const held = answerOf(1, []);
    records.store(read, held, madeAt(1));
    records.forgetUnfinished(read, held, 1_000);
    expect([records.find(read), records.unfinished.has(key, 60_999)]).toEqual([undefined, true]);
  });

  it('are forgotten with what came before and varied otherwise: it may be what they have hidden from others', () => {
    const records = new WebRecords(cache());
    const [one, other] = [readOf('x').read, readOf('y').read];
    const [first, second, last] = [answerOf(1, ['a']), answerOf(2, ['b']), answerOf(3, ['c'])];
    for (const held of [first, second, last]) records.store(one, held, madeAt(held.receivedMs));
    records.store(other, answerOf(1, ['a']), madeAt(1));
    records.forget(one, second);
    expect(records.find(one)).toBe(last);
    records.forget(one, last);
    expect([records.find(one), records.find(other)]).toEqual([undefined, undefined]);
  });

  it('that vary alike are of other readers', () => {
    const records = new WebRecords(cache());
    const [one, other] = [readOf('x').read, readOf('y').read];
    const [first, second] = [answerOf(1, ['a']), answerOf(2, ['a'])];
    records.store(one, first, madeAt(1));
    records.store(other, second, madeAt(2));
    records.forget(other, second);
    expect([records.find(one), records.find(other)]).toEqual([first, undefined]);
  });

  it.each([
    ['an error of the server has hidden nothing but other ones', 503, [['a']]],
    ['an answer has hidden errors of the server, too', 200, []],
  ] as const)('%s', (_, status, left) => {
    const held = cache();
    const records = new WebRecords(held);
    // an error is stored for who selects nothing else
    const [one, other] = [readOf('x').read, selecting('b', 'c')];
    const error = { ...answerOf(2, ['b']), answer: { status: 503, vary: ['b'] } };
    const last = { ...answerOf(3, ['c']), answer: { status, vary: ['c'] } };
    records.store(one, answerOf(1, ['a']), madeAt(1));
    for (const record of [error, last])
      expect(records.store(other, record, madeAt(record.receivedMs))).toBe(true);
    records.forget(other, last);
    const all = [...(held.table.peek(key)?.records.values() ?? [])] as readonly ReadableRecord[];
    expect(all.map(({ answer }) => answer?.vary)).toEqual(left);
  });

  it('an answer that takes the place of an older one of its own brings nothing to an end that others get', () => {
    const records = new WebRecords(cache());
    const [one, other] = [readOf('x').read, readOf('y').read];
    const beside = answerOf(1, ['b']);
    records.store(other, beside, madeAt(1));
    for (const receivedMs of [2, 3]) records.store(one, answerOf(receivedMs, ['a']), madeAt(receivedMs));
    expect(records.find(other)).toBe(beside);
  });

  it('what they have hidden does not come back where they are confirmed and vary otherwise', () => {
    const records = new WebRecords(cache());
    const [one, other] = [readOf('x').read, readOf('y').read];
    records.store(one, answerOf(1, ['a']), madeAt(1));
    records.store(other, answerOf(1, ['a']), madeAt(1));
    const second = answerOf(2, []);
    records.store(one, second, madeAt(2));
    expect(records.find(other)).toBe(second);
    const renewed = answerOf(2, ['a']);
    expect(records.renew(one, second, renewed, madeAt(3))).toBe(true);
    expect([records.find(one), records.find(other)]).toEqual([renewed, undefined]);
  });

  it.each([
    ['held', true, ['b']],
    ['held, and that varies otherwise', true, ['c']],
    ['lost', false, ['b']],
    ['lost, and that varies otherwise', false, ['c']],
  ])(
    'an error of the server takes the place of no answer whose bytes are %s, and brings none back',
    (_, isHeld, vary) => {
      const records = new WebRecords(cache());
      const { read } = readOf('x');
      records.store(read, answerOf(1, ['a']), madeAt(1));
      let coverage = 'all';
      const content = { sizeBytes: 9, coverage: () => coverage } as unknown as Content;
      const page = { ...answerOf(2, ['b']), content, sizeBytes: 9, entityTag: 'W/"2"' };
      records.store(read, page, madeAt(2));
      if (!isHeld) coverage = 'none';
      const error = { ...answerOf(3, vary), answer: { status: 503, vary } };
      expect(records.store(read, error, madeAt(3))).toBe(!isHeld);
      expect(records.find(read)).toBe(isHeld ? page : error);
    },
  );

  it('that came before what is in their place, and are newer nevertheless, bring back nothing that this has hidden', () => {
    const records = new WebRecords(cache());
    const [one, other] = [readOf('x').read, readOf('y').read];
    const [between, late] = [answerOf(9, ['a']), answerOf(10, [])];
    records.store(other, between, madeAt(9));
    records.store(one, late, madeAt(1));
    const newer = answerOf(8, []);
    expect(records.store(one, newer, madeAt(2))).toBe(true);
    expect([records.find(one), records.find(other)]).toEqual([newer, newer]);
  });

  it('are outdated by the last that was told of them', () => {
    const records = new WebRecords(cache());
    const { read } = readOf('x');
    const held = answerOf(1, []);
    records.store(read, held, madeAt(1));
    records.outdate(read, held, 50);
    const outdated = records.find(read);
    if (outdated) records.outdate(read, outdated, 70);
    expect(records.store(read, answerOf(80, []), madeAt(60))).toBe(false);
  });

  it('are the last eight: an origin that says something else each time has no more', () => {
    const held = cache();
    const records = new WebRecords(held);
    for (let number = 0; number < 20; number++)
      records.store(readOf('x').read, answerOf(number, [`f${number}`]), madeAt(number));
    const { read, counted } = readOf('x');
    expect(records.find(read)?.receivedMs).toBe(19);
    expect(counted.named).toBe(8);
    const left = [...(held.table.peek(key)?.records.values() ?? [])].map(({ receivedMs }) => receivedMs);
    expect(left).toEqual([12, 13, 14, 15, 16, 17, 18, 19]);
  });

  it('of a list that is too much take with them what they have hidden', () => {
    const held = cache();
    const records = new WebRecords(held);
    const { read } = readOf('x');
    records.store(read, answerOf(0, ['f1']), madeAt(0));
    records.store(read, answerOf(1, ['f0']), madeAt(1));
    for (let number = 2; number < 8; number++)
      records.store(read, answerOf(number, [`f${number}`]), madeAt(number));
    // of the list of the oldest, for somebody else
    records.store(readOf('y').read, answerOf(8, ['f1']), madeAt(8));
    const last = answerOf(9, ['f9']);
    records.store(read, last, madeAt(9));
    const left = [...(held.table.peek(key)?.records.values() ?? [])].map(({ receivedMs }) => receivedMs);
    expect(left.sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('are those of the last answers, whoever else still reads what varies otherwise', () => {
    const records = new WebRecords(cache());
    for (let number = 0; number < 4; number++)
      records.store(readOf(`${number}`).read, answerOf(number, ['a']), madeAt(number));
    for (let number = 4; number < 12; number++) {
      for (let reader = 0; reader < 4; reader++) records.find(readOf(`${reader}`).read);
      records.store(readOf('x').read, answerOf(number, [`f${number}`]), madeAt(number));
    }
    const { read, counted } = readOf('x');
    expect(records.find(read)?.receivedMs).toBe(11);
    expect(counted.named).toBe(8);
    expect(records.find(readOf('0').read)).toBeUndefined();
  });

  it('of the answer that came last are those by which a name varies, whichever of many is read', () => {
    const held = cache();
    const records = new WebRecords(held);
    for (let number = 0; number < 5; number++)
      records.store(readOf(`${number}`).read, answerOf(number, ['a']), madeAt(number));
    records.store(readOf('x').read, answerOf(5, ['b']), madeAt(5));
    const { read } = readOf('0');
    expect(records.find(read)?.receivedMs).toBe(0);
    held.table.forget(key, 'a=1;');
    expect(records.varyOf(read)).toEqual(['b']);
  });

  it('of an answer that came last hide what varies otherwise', () => {
    const records = new WebRecords(cache());
    const [first, second] = [answerOf(1, ['a']), answerOf(2, ['b'])];
    for (const record of [first, second]) records.store(readOf('x').read, record, madeAt(record.receivedMs));
    expect(records.find(readOf('x').read)).toBe(second);
    const { read } = readOf('x');
    expect([records.isGivenFirst(read, first), records.isGivenFirst(read, second)]).toEqual([false, true]);
  });

  it('of two answers of one time are neither before the other', () => {
    const records = new WebRecords(cache());
    const { read } = readOf('x');
    const [first, second] = [answerOf(5, ['a']), answerOf(5, ['b'])];
    records.store(read, first, madeAt(1));
    records.store(read, second, madeAt(2));
    expect([records.isGivenFirst(read, first), records.isGivenFirst(read, second)]).toEqual([false, false]);
  });

  it('of an answer whose date is later are before what came later, for other workers as well', () => {
    const records = new WebRecords(cache());
    const dated = (receivedMs: number, vary: readonly string[], dateMs: number) => ({
      ...answerOf(receivedMs, vary),
      fields: [httpHeader('date', new Date(dateMs).toUTCString())],
    });
    const [newer, older] = [dated(90_000, ['a'], 80_000), dated(91_000, ['b'], 20_000)];
    records.store(readOf('x').read, newer, madeAt(90_000));
    // who asks selects that alone
    records.store(selecting('b'), older, madeAt(91_000));
    const { read } = readOf('x');
    expect(records.find(read)).toBe(newer);
    expect([records.isGivenFirst(read, newer), records.isGivenFirst(read, older)]).toEqual([true, false]);
  });

  it('of an error of the server are never before what is none, for other workers neither', () => {
    const records = new WebRecords(cache());
    const [page, error] = [
      answerOf(1, ['a']),
      { ...answerOf(2, ['b']), answer: { status: 503, vary: ['b'] } },
    ];
    records.store(readOf('x').read, page, madeAt(1));
    expect(records.store(selecting('b'), error, madeAt(2))).toBe(true);
    const { read } = readOf('x');
    expect(records.find(read)).toBe(page);
    expect([records.isGivenFirst(read, page), records.isGivenFirst(read, error)]).toEqual([true, false]);
  });

  it.each([
    ['was read again stays, though it was fetched anew since', true],
    ['was never read again goes', false],
  ])('a part that %s, where eight others are asked for', (_, isReadAgain) => {
    const held = cache();
    const records = new WebRecords(held);
    const store = (range: string, receivedMs: number) => {
      const part = { ...answerOf(receivedMs, [':range']), answer: { status: 206, vary: [':range'] } };
      records.store(readOf(range).read, part, madeAt(receivedMs));
    };
    store('first', 0);
    if (isReadAgain) records.find(readOf('first').read);
    else held.table.forget(key, ':range=first;');
    store('first', 1);
    for (let number = 2; number < 10; number++) store(`${number}`, number);
    expect(records.find(readOf('first').read)?.receivedMs).toBe(isReadAgain ? 1 : undefined);
  });

  it('what is held in part has gone with its content, not with what HEAD or a refusal tells of it', () => {
    const records = new WebRecords(cache());
    const { read } = readOf('x');
    const partOf = (receivedMs: number): ReadableRecord => ({
      ...answerOf(receivedMs, []),
      ...{
        entityTag: '"1"',
        sizeBytes: 10,
        content: { sizeBytes: 10, coverage: () => 'some' } as unknown as Content,
      },
    });
    const held = partOf(1);
    records.store(read, held, madeAt(1));
    records.renew(read, held, { ...held, receivedMs: 2 }, madeAt(2));
    expect(records.hasGone(read, held)).toBe(false);
    records.outdate(read, { ...held }, 3);
    expect(records.hasGone(read, held)).toBe(false);
    records.store(read, partOf(4), madeAt(4));
    expect(records.hasGone(read, held)).toBe(true);
  });
});
