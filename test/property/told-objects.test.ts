import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Entry, generationsOf } from '../../src/cache/entry.ts';
import { EntryTable } from '../../src/cache/entry-table.ts';
import { type ContentAccess, Generation } from '../../src/cache/generation.ts';
import type { AskedFor, GenerationIdentity } from '../../src/cache/generation-identity.ts';
import { MemoryTier } from '../../src/cache/memory-tier.ts';
import type { ObjectKey } from '../../src/cache/object-key.ts';
import { type PackedContent, readRest } from '../../src/cache/packed-entry.ts';
import { PurgeBarriers } from '../../src/cache/purge-barriers.ts';
import type { ObjectRecord } from '../../src/cache/record.ts';
import { allocateSharedMemory } from '../../src/cache/shared-memory.ts';
import { SlotPins } from '../../src/cache/slot-pins.ts';
import { SlotTexts, type ToldText } from '../../src/cache/slot-texts.ts';
import { testKey } from '../support/object-keys.ts';
import { recordFields } from '../support/records.ts';

const pageBytes = 65_536;
const keys = Array.from({ length: 4 }, (_, index) => testKey('main', 'b', `k${index}`));
const unused = (): never => {
  throw new Error('nothing is read here');
};

const step = fc.record({
  kind: fc.constantFrom(
    ...['put', 'put', 'fill', 'fill', 'renew', 'another', 'part', 'ask', 'forget', 'drop', 'tell'],
    ...['large', 'large', 'refused', 'asked for', 'asked for', 'asked for'],
    ...['revive', 'pack', 'evict', 'hold', 'release', 'soft purge', 'hard purge'],
    ...['begin', 'go on', 'read', 'leave', 'reclaim'],
  ),
  key: fc.nat(keys.length - 1),
  value: fc.nat(900),
});

/** An owner of objects of one short block, of several, or of none, and another worker that reads what is told of them. */
class World {
  readonly #memory = allocateSharedMemory(2 * 8 * pageBytes, pageBytes, 2);
  readonly #tier = new MemoryTier(this.#memory, 1);
  readonly #barriers = new PurgeBarriers(this.#memory);
  readonly #table: EntryTable;
  readonly #pins = new SlotPins(this.#memory, 0);
  readonly #texts = new SlotTexts(this.#memory, 1, this.#pins);
  readonly #held: number[] = [];
  readonly #reading: Generation[] = [];
  #version = 0;
  /** How often something was told without a block. */
  alone = 0;

  /** @param mostUnpackedBytes so small that entries are packed */
  constructor(mostUnpackedBytes: number) {
    this.#table = new EntryTable(40_000, this.#tier, this.#barriers, mostUnpackedBytes);
  }

  do(kind: string, key: ObjectKey, value: number): void {
    const entry = kind === 'pack' ? undefined : this.#entryOf(key);
    const content = entry && [...generationsOf(entry)].at(-1);
    if (kind === 'put' || (kind === 'renew' && !content))
      this.#put(key, '', this.#newContent(key, value + 1));
    else if (kind === 'renew' && content) this.#put(key, '', content);
    else if (kind === 'another') this.#put(key, 'other', content ?? this.#newContent(key, value + 1));
    else if (kind === 'fill' && content) fill(content, value % content.sizeBytes);
    else if (kind === 'part') content?.parts.learn(value % 3, { first: 0, last: value, checksums: [] }, 3);
    else if (kind === 'ask') content?.askAs({ versionId: `v${value}`, requestPayer: undefined });
    else if (kind === 'forget') this.#table.forget(key, value % 2 === 0 ? '' : 'other');
    else if (kind === 'drop') this.#table.drop(key.text);
    else if (kind === 'tell') this.#table.tell(key);
    else if (kind === 'asked for') this.#table.tell(key, true);
    else if (kind === 'large') this.#put(key, '', this.#newContent(key, pageBytes + value));
    else if (kind === 'refused') this.#table.put(key, '', refused(value, this.#barriers.latest));
    else if (kind === 'pack') this.#table.put(testKey('main', 'b', `${value}`), '', bare(value));
    else if (kind === 'evict') this.#evict(value);
    else if (kind === 'hold') this.#hold(content?.onlyBlock?.slot);
    else if (kind === 'release') this.#release();
    else if (kind === 'begin' && content) begin(content);
    else if (kind === 'go on' && content) goOn(content);
    else if (kind === 'read' && content) this.#read(content);
    else if (kind === 'leave') this.#read()?.leave();
    else if (kind === 'reclaim') this.#table.reclaim(key.text);
    else if (kind.endsWith('purge'))
      this.#barriers.raise({ kind: 'key', objectKey: key }, kind === 'hard purge' ? 'hard' : 'soft', value);
  }

  /** Whether something is told of the object; it is what its owner holds. */
  check(key: ObjectKey): boolean {
    const told = this.#texts.getTold(key.text);
    if (!told) return false;
    const { slot, tag, head } = told;
    const said = this.#said(told);
    const { content = -1, valid = { start: 0, end: 0 } } = head.block ?? {};
    expect(this.#pins.acquire(slot, tag)).toBe(true);
    const bytes = [...new Set(this.#pins.view(slot, valid.start, valid.end))];
    this.#pins.release(slot);
    if (head.block) expect(bytes).toEqual([Number(said.contents[content]?.identity.entityTag) % 256]);
    const entry = this.#entryOf(key);
    expect(said.records).toEqual(this.#left(key, entry?.records));
    if (!head.block) this.alone++;
    if (!entry || !head.block || said.records.size === 0) return true;
    const contents = [...generationsOf(entry)];
    // packed again at once, beside others that are in use
    if (contents.some(({ isRetired }) => isRetired)) return true;
    expect(said.contents.map(({ identity }) => identity)).toEqual(contents.map(({ identity }) => identity));
    // of a content without bytes it may know less than its owner
    const held = contents[content];
    expect(said.contents[content]).toMatchObject({
      ...{ blockBytes: held?.blockBytes, asked: held?.asked, contentId: held?.contentId },
      ...{ parts: held?.parts.entries(), partCount: held?.parts.count },
    });
    expect(held?.onlyBlock?.valid).toEqual(valid);
    return true;
  }

  /** What a text says, after all purges. */
  #said({ head, rest }: ToldText) {
    const contents: PackedContent[] = [];
    const { records } = readRest(head.text, rest, content => {
      contents.push({ ...content, identity: { ...content.identity } });
      return this.#create(keys[0] as ObjectKey, content.identity);
    });
    return { contents, records: this.#left({ text: head.text }, records) };
  }

  #left({ text }: Pick<ObjectKey, 'text'>, records: ReadonlyMap<string, ObjectRecord> = new Map()) {
    const left = [...records].flatMap(([name, record]) => {
      const applied = this.#barriers.applied(text, record);
      return applied ? [[name, { ...applied, content: undefined, isWithdrawn: false }] as const] : [];
    });
    return new Map(left);
  }

  #entryOf(key: ObjectKey): Entry | undefined {
    return (
      this.#table.peek(key) ??
      this.#table.revive(key, (identity, _, asked) => this.#create(key, identity, asked))
    );
  }

  #put(key: ObjectKey, name: string, content: Generation): void {
    const entityTag = `"${++this.#version}"`;
    const record = { ...recordFields(content.sizeBytes), entityTag, barrier: this.#barriers.latest, content };
    this.#table.put(key, name, record);
  }

  #newContent({ text }: ObjectKey, sizeBytes: number): Generation {
    const identity = { objectKey: text, versionId: undefined, contentEncoding: undefined, sizeBytes };
    return this.#create({ text } as ObjectKey, { ...identity, entityTag: `${++this.#version}` });
  }

  #create(key: ObjectKey, identity: GenerationIdentity, first?: AskedFor): Generation {
    let asked = first;
    const reading: ContentAccess = {
      ...{ open: unused, lend: unused },
      get asked() {
        return asked;
      },
      askAs: next => {
        asked = next;
      },
      filled: () => this.#table.tell(key),
    };
    return new Generation(identity, pageBytes, this.#tier, reading, () => this.#table.grew(key));
  }

  #evict(count: number): void {
    for (let left = count % 20; left > 0; left--) {
      const slot = this.#tier.allocate(pageBytes / 3, {
        ...{ contentHash: 0, evicted: () => undefined, moved: () => undefined },
      });
      if (slot === undefined) return;
      this.#tier.complete(slot);
      this.#tier.read(slot);
    }
  }

  #hold(slot: number | undefined): void {
    if (slot === undefined || !this.#pins.acquire(slot, this.#pins.tag(slot))) return;
    this.#held.push(slot);
  }

  /** A reader enters, or the one that came last is to leave. */
  #read(content?: Generation): Generation | undefined {
    if (!content) return this.#reading.pop();
    content.enter();
    this.#reading.push(content);
    return undefined;
  }

  #release(): void {
    const slot = this.#held.pop();
    if (slot !== undefined) this.#pins.release(slot);
  }
}

/** Fills what is missing of a block from `from` on, or all of it. */
function fill(content: Generation, from: number): void {
  if (content.blockAt(0)?.isFilling) content.closeBlock(0);
  const start = content.onlyBlock ? content.availableUntil(0) : from % 2 === 0 ? 0 : from;
  if (start >= content.sizeBytes || !content.openBlock(start)) return;
  const lengthBytes = content.blockEnd(start) - start;
  content.write(start, Buffer.alloc(lengthBytes, Number(content.identity.entityTag) % 256));
  content.closeBlock(start);
}

/** Begins a fill of the first byte, of a block of which nothing is held; it goes on until `fill` ends it. */
function begin(content: Generation): void {
  if (content.blockAt(0) || !content.openBlock(0)) return;
  content.write(0, Buffer.alloc(1, Number(content.identity.entityTag) % 256));
}

/** The fill that was begun brings one byte more. */
function goOn(content: Generation): void {
  const at = content.availableUntil(0);
  if (!content.onlyBlock?.isFilling || at === 0 || at >= content.blockEnd(0)) return;
  content.write(at, Buffer.alloc(1, Number(content.identity.entityTag) % 256));
}

function refused(status: number, barrier: number): ObjectRecord {
  const { isUsableForGet, fields, receivedMs, directives, tagSlots } = recordFields(0);
  const asked = { epoch: 0, barrier, isUnsettled: false };
  const known = { ...asked, isUsableForGet, fields, receivedMs, directives, tagSlots };
  return { ...known, kind: 'refused', isNegative: true, status, body: Buffer.alloc(0) };
}

function bare(value: number): ObjectRecord {
  const { kind: _kind, ...fields } = recordFields(0);
  return { ...fields, kind: 'uncacheable', isNegative: false, tooLargeBytes: value };
}

it.each([
  ['in use', Infinity],
  ['packed soon', 6_000],
])(
  'law 2: what is told of an object to other workers is what its owner holds, %s',
  (_how, mostUnpackedBytes) => {
    let [told, alone] = [0, 0];
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80, size: 'max' }), steps => {
        const world = new World(mostUnpackedBytes);
        for (const { kind, key, value } of steps) {
          const object = keys[key];
          if (object) world.do(kind, object, value);
          for (const one of keys) if (world.check(one)) told++;
        }
        alone += world.alone;
      }),
      { numRuns: 150 },
    );
    expect(told).toBeGreaterThan(300);
    expect(alone).toBeGreaterThan(300);
  },
);
