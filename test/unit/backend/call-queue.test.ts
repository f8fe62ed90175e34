import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { CallQueue } from '../../../src/backend/call-queue.ts';
import type { QueueEntry, QueueVerdict } from '../../../src/backend/queue-entry.ts';
import { ManualClock } from '../../support/manual-clock.ts';

let clock: ManualClock;
let queue: CallQueue;

beforeEach(() => {
  clock = new ManualClock();
});

class Call implements QueueEntry {
  readonly object: string;
  state: 'new' | 'running' | 'over' | QueueVerdict = 'new';
  isAnswered = false;
  readonly isTimed: boolean;
  pausedSinceMs: number | undefined;
  keptUntilMs: number | undefined;
  readonly client: string | undefined;
  #startedMs = 0;

  constructor(object: string, client?: string, kind: 'read' | 'write' = 'read') {
    this.object = object;
    this.client = client;
    this.isTimed = kind === 'read';
  }

  get silentSinceMs(): number | undefined {
    return this.isAnswered || !this.isTimed ? undefined : this.#startedMs;
  }

  start(): void {
    this.state = 'running';
    this.#startedMs = clock.monotonicMs();
  }

  endedBy(verdict: QueueVerdict): void {
    this.state = verdict;
    queue.leave(this);
  }

  pause(forMs = 5_000): void {
    this.pausedSinceMs = clock.monotonicMs();
    this.keptUntilMs = this.pausedSinceMs + forMs;
  }

  stoodStill(durationMs: number): void {
    if (this.pausedSinceMs !== undefined) this.pausedSinceMs += durationMs;
    if (this.keptUntilMs !== undefined) this.keptUntilMs += durationMs;
  }

  answer(): void {
    this.isAnswered = true;
    queue.answered(this, clock.monotonicMs() - this.#startedMs);
  }

  end(): void {
    this.state = 'over';
    queue.leave(this);
  }
}

function open(connections: number, size = 100): void {
  const limits = { connections, queue: size, queueWaitMs: 2_000, queueTotalMs: 10_000 };
  queue = new CallQueue(limits, clock, () => undefined);
}

/** The store shows that it answers, each time after `durationMs`. */
function answerSome(durationMs: number, count = 20): void {
  for (let index = 0; index < count; index++) {
    const call = enter(`answered ${index}`);
    clock.advance(durationMs);
    call.answer();
    call.end();
  }
}

function enter(object: string, client?: string): Call {
  const call = new Call(object, client);
  queue.enter(call);
  return call;
}

function write(object: string, client = 'writer'): Call {
  const call = new Call(object, client, 'write');
  queue.enter(call);
  return call;
}

const writeAll = (count: number, client: string) =>
  Array.from({ length: count }, (_, index) => write(`${client} ${index}`, client));

const enterAll = (count: number, object: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => enter(object(index)));
const states = (calls: readonly Call[]) => calls.map(({ state }) => state);
const running = (calls: readonly Call[]) => calls.filter(({ state }) => state === 'running').length;

describe('who has a connection', () => {
  it('as many calls as there are connections, and the next when one is over', () => {
    open(2);
    const calls = enterAll(4, index => `${index}`);
    expect(states(calls)).toEqual(['running', 'running', 'new', 'new']);
    calls[1]?.end();
    expect(states(calls)).toEqual(['running', 'over', 'running', 'new']);
  });

  it('no object has more than half of them', () => {
    open(8);
    const many = enterAll(20, () => 'many');
    expect(running(many)).toBe(4);
    expect(enter('one').state).toBe('running');
  });

  it('waiting objects take turns, however many calls each has', () => {
    open(2);
    const [first, second] = enterAll(2, index => `${index}`);
    const many = enterAll(5, () => 'many');
    const one = enter('one');
    first?.end();
    second?.end();
    expect([running(many), one.state]).toEqual([1, 'running']);
  });

  it('any number of calls that are over as soon as they start, one after the other', () => {
    open(2, 20_000);
    const [first] = enterAll(2, index => `${index}`);
    const calls = Array.from({ length: 20_000 }, (_, index) => new Call(`short ${index}`));
    for (const call of calls) {
      call.start = () => call.end();
      queue.enter(call);
    }
    first?.end();
    expect(new Set(states(calls))).toEqual(new Set(['over']));
  });

  it('a call that is given up while it waits leaves at once, and its object with it', () => {
    open(2);
    const [first] = enterAll(2, index => `${index}`);
    const left = enter('left');
    const next = enter('next');
    left.end();
    first?.end();
    expect([left.state, next.state]).toEqual(['over', 'running']);
  });
});

describe('reads for one client', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => enter(`many ${index}`, 'many'));

  it('have three quarters of the connections, so that others find one at once', () => {
    open(8);
    const calls = many(20);
    const others = [enter('one', 'one'), enter('for all')];
    expect([running(calls), running(others)]).toEqual([6, 2]);
    others[0]?.end();
    expect(running(calls)).toBe(6);
    calls[0]?.end();
    expect(running(calls)).toBe(6);
  });

  it('are given up where the store is silent and others of the same client wait, though connections are free', () => {
    open(8);
    answerSome(10);
    const silent = many(6);
    const next = enter('next', 'many');
    clock.advance(1_600);
    expect(states([...silent, next])).toContain('silent');
    expect(next.state).toBe('running');
  });
});

describe('calls without a minimum rate: writes, and selects', () => {
  it('have half of the connections, so that reads find one at once', () => {
    open(8);
    const writes = ['a', 'b', 'c'].flatMap(client => writeAll(3, client));
    expect(running(writes)).toBe(4);
    expect(running(enterAll(4, index => `read ${index}`))).toBe(4);
    writes[0]?.end();
    expect(running(writes)).toBe(4);
  });

  it('of one client have half of that, whatever objects they are for', () => {
    open(16);
    const many = writeAll(100, 'many');
    const others = ['a', 'b', 'c', 'd'].map(client => write('object', client));
    expect([running(many), running(others)]).toEqual([4, 4]);
  });

  it('start in turns by client', () => {
    open(8);
    const many = writeAll(20, 'many');
    const [first, second] = writeAll(2, 'other');
    const more = [...writeAll(3, 'other'), write('one', 'one')];
    first?.end();
    second?.end();
    expect([running(many), states(more)]).toEqual([2, ['running', 'new', 'new', 'running']]);
  });

  it('take turns with reads for the connections that both may have', () => {
    open(4);
    const first = enterAll(4, index => `first ${index}`);
    const reads = enterAll(4, index => `read ${index}`);
    const writes = [write('x', 'a'), write('y', 'b')];
    first[0]?.end();
    first[1]?.end();
    expect([running(reads), running(writes)]).toEqual([1, 1]);
    first[2]?.end();
    first[3]?.end();
    expect([running(reads), running(writes)]).toEqual([2, 2]);
  });

  it('that wait for their share are refused as soon as none of it was answered for long, whatever is read', () => {
    open(4);
    const selects = [write('a', 'a'), write('b', 'b')];
    for (const call of selects) call.answer();
    const waiting = write('c', 'c');
    for (let index = 0; index < 19; index++) {
      const read = enter(`read ${index}`);
      clock.advance(100);
      read.answer();
      read.end();
    }
    expect(waiting.state).toBe('new');
    clock.advance(100);
    expect([waiting.state, running(selects)]).toEqual(['waited', 2]);
  });

  it('that wait fill no more than half of the queue, and a client with many makes room for one with few', () => {
    open(4, 8);
    const held = [write('a', 'a'), write('b', 'b')];
    const many = writeAll(5, 'many');
    expect(states(many)).toEqual(['new', 'new', 'new', 'new', 'full']);
    const one = write('c', 'one');
    expect([one.state, many[3]?.state, running(held)]).toEqual(['new', 'full', 2]);
    const reads = enterAll(6, index => `read ${index}`);
    expect(states(reads)).toEqual(['running', 'running', 'new', 'new', 'new', 'new']);
    expect(enter('seventh').state).toBe('full');
  });

  it('that wait for their share cost no read its connection', () => {
    open(4);
    answerSome(10);
    const [silent, paused] = [enter('silent'), enter('paused', 'a')];
    paused?.answer();
    paused?.pause();
    const writes = [write('a', 'a'), write('b', 'b')];
    const waiting = [write('c', 'c'), write('d', 'd')];
    clock.advance(1_900);
    for (const call of writes) call.answer();
    clock.advance(1_900);
    for (const call of writes) call.answer();
    clock.advance(1_900);
    expect(states(waiting)).toEqual(['new', 'new']);
    expect(states([silent, paused])).toEqual(['running', 'running']);
  });

  it('that wait for their share do not count when silent reads are given up for those that wait', () => {
    open(16);
    answerSome(10);
    for (const client of ['a', 'b', 'c', 'd']) writeAll(2, client);
    const silent = enterAll(8, index => `silent ${index}`);
    const read = enter('read');
    const waiting = ['e', 'f', 'g', 'h'].map(client => write(client, client));
    clock.advance(1_550);
    expect([running(silent), read.state, running(waiting)]).toEqual([7, 'running', 0]);
  });

  it('whose clients are slow leave half of the share to others that wait for it', () => {
    open(16);
    const slow = ['a', 'b', 'c', 'd'].flatMap(client => writeAll(2, client));
    for (const call of slow) call.pause(600_000);
    const waiting = ['e', 'f', 'g'].flatMap(client => writeAll(2, client));
    clock.advance(1_050);
    expect([running(slow), running(waiting)]).toEqual([4, 4]);
  });

  it('leave nothing behind', () => {
    open(4, 4);
    const calls = ['a', 'b', 'c'].flatMap(client => writeAll(3, client));
    for (const call of calls) if (call.state !== 'full') call.end();
    expect(queue.counts()).toMatchObject({ waiting: 0, unanswered: 0, objects: 0 });
    expect(running(['a', 'b'].flatMap(client => writeAll(1, client)))).toBe(2);
  });
});

it('a store is silent when it has left a call unanswered for 5 s, whatever it answered long ago and still sends', () => {
  open(8);
  const [transfer] = enterAll(1, () => 'transfer');
  transfer?.answer();
  clock.advance(60_000);
  const calls = enterAll(3, index => `${index}`);
  expect(queue.isStoreSilent).toBe(false);
  clock.advance(4_900);
  enter('later');
  expect(queue.isStoreSilent).toBe(false);
  clock.advance(200);
  expect(queue.isStoreSilent).toBe(true);
  calls[0]?.answer();
  expect(queue.isStoreSilent).toBe(false);
});

describe('who is refused', () => {
  it('who comes when as many wait as may', () => {
    open(1, 2);
    expect(states(enterAll(4, index => `${index}`))).toEqual(['running', 'new', 'new', 'full']);
  });

  it('and nothing is kept of it', () => {
    open(1, 2);
    enterAll(3, index => `${index}`);
    expect(states(enterAll(1_000, index => `made up ${index}`))).toEqual(Array(1_000).fill('full'));
    expect(queue.counts().objects).toBe(3);
  });

  it('but the last of the longest line gives its place to an object with fewer', () => {
    open(1, 3);
    const many = enterAll(4, () => 'many');
    const one = enter('one');
    expect(states(many)).toEqual(['running', 'new', 'new', 'full']);
    expect(one.state).toBe('new');
    expect(enter('many').state).toBe('full');
  });

  it('who has waited for as long as may be while the store answers nothing', () => {
    open(1);
    const [first, second] = enterAll(2, index => `${index}`);
    first?.answer();
    clock.advance(1_950);
    const third = enter('third');
    clock.advance(100);
    expect([second?.state, third.state]).toEqual(['waited', 'new']);
  });

  it('nobody while the store answers those before, up to the longest wait', () => {
    open(1);
    const calls = enterAll(12, index => `${index}`);
    for (const call of calls.slice(0, 6)) {
      expect(call.state).toBe('running');
      clock.advance(1_800);
      call.answer();
      call.end();
    }
    expect(states(calls.slice(6))).toEqual(['waited', 'waited', 'waited', 'waited', 'waited', 'waited']);
    expect(clock.monotonicMs()).toBe(10_800);
  });

  it('who waits for calls about the same object while others are answered', () => {
    open(4);
    const many = enterAll(3, () => 'many');
    for (let index = 0; index < 2; index++) {
      const other = enter(`other ${index}`);
      clock.advance(1_050);
      other.answer();
      other.end();
    }
    expect(states(many)).toEqual(['running', 'running', 'waited']);
  });
});

describe('who is given up for those that wait', () => {
  it('calls that hang, the oldest first, as many as have waited, and an eighth of the connections stay theirs', () => {
    open(16);
    answerSome(100);
    const hanging = enterAll(16, index => `hangs ${index}`);
    clock.advance(9_000);
    expect(running(hanging), 'nobody waits').toBe(16);
    const three = enterAll(3, index => `waits ${index}`);
    clock.advance(900);
    const late = enter('late');
    expect(running(hanging), 'nobody has waited for long').toBe(16);
    clock.advance(100);
    expect(states(hanging.slice(0, 3))).toEqual(['silent', 'silent', 'running']);
    three[0]?.answer();
    clock.advance(50);
    expect(states(hanging.slice(0, 4))).toEqual(['silent', 'silent', 'silent', 'running']);
    expect([running(three), late.state]).toEqual([3, 'new']);
    for (const call of three) call.answer();
    const more = enterAll(20, index => `more ${index}`);
    clock.advance(1_000);
    expect(running(hanging)).toBe(2);
    expect(running(more)).toBe(10);
  });

  it.each([
    ['from the start', 0],
    ['of a store that was quick before', 20],
  ])('few at a time while nothing tells hanging objects from a slow store: %s', (_when, answers) => {
    open(16);
    answerSome(100, answers);
    const silent = enterAll(16, index => `silent ${index}`);
    const waiting = enterAll(10, index => `waits ${index}`);
    clock.advance(1_450);
    expect(running(silent)).toBe(16);
    clock.advance(450);
    expect([running(silent), running(waiting)]).toEqual([14, 2]);
    clock.advance(100);
    expect([running(silent), running(waiting)]).toEqual([12, 4]);
    expect(states(waiting.slice(4))).toEqual(Array.from({ length: 6 }, () => 'waited'));
  });

  it('as soon as one is answered that was asked later, as many as others wait for', () => {
    open(16);
    const hanging = enterAll(16, index => `hangs ${index}`);
    const waiting = enterAll(10, index => `waits ${index}`);
    clock.advance(1_500);
    waiting[0]?.answer();
    clock.advance(50);
    expect([running(hanging), running(waiting)]).toEqual([6, 10]);
  });

  it('none once the answers of a store that has become slow arrive', () => {
    open(16);
    answerSome(100);
    const slow = enterAll(16, index => `slow ${index}`);
    const waiting = enterAll(10, index => `waits ${index}`);
    clock.advance(1_800);
    for (const call of slow) if (call.state === 'running') call.answer();
    for (const call of slow) if (call.state === 'running') call.end();
    expect([running(waiting), slow.filter(({ state }) => state === 'over').length]).toEqual([10, 14]);
    clock.advance(1_700);
    enterAll(10, index => `more ${index}`);
    clock.advance(1_000);
    expect(running(waiting)).toBe(10);
  });

  it('among 512 hanging objects a healthy one is started or refused within two seconds, and started soon after', () => {
    open(128, 512);
    answerSome(100);
    enterAll(512, index => `hangs ${index}`);
    const first = enter('healthy');
    clock.advance(2_000);
    expect(first.state).toBe('waited');
    const second = enter('healthy');
    clock.advance(1_100);
    expect(second.state).toBe('running');
  });

  it('while connections are free only calls of objects that have their share', () => {
    open(16);
    answerSome(100);
    const others = enterAll(6, index => `other ${index}`);
    const many = enterAll(9, () => 'many');
    clock.advance(1_600);
    expect(running(others)).toBe(6);
    expect(many[0]?.state).toBe('silent');
  });

  it('none of a store that is slow for all', () => {
    open(16);
    answerSome(1_000);
    const slow = enterAll(16, index => `slow ${index}`);
    clock.advance(500);
    enter('waits');
    clock.advance(1_400);
    expect(running(slow)).toBe(16);
    clock.advance(200);
    expect(running(slow)).toBe(15);
  });

  it('none of a store that answers a third of its objects late', () => {
    open(16, 100);
    answerSome(1_500, 1);
    answerSome(20, 200);
    const late = enterAll(16, index => `late ${index}`);
    enter('waits');
    clock.advance(1_900);
    expect(running(late)).toBe(16);
  });

  it('none for a time in which this thread was held up with all that had arrived', () => {
    open(16);
    answerSome(100);
    const silent = enterAll(16, index => `silent ${index}`);
    const waits = enter('waits');
    clock.holdUp(5_000);
    clock.advance(0);
    expect([running(silent), waits.state]).toEqual([16, 'new']);
    clock.advance(50);
    expect(running(silent)).toBe(15);
  });

  it('calls whose answer nobody takes', () => {
    open(2);
    const [paused, other] = enterAll(2, index => `${index}`);
    for (const call of [paused, other]) call?.answer();
    paused?.pause();
    clock.advance(4_900);
    const early = enter('early');
    expect([paused?.state, early.state]).toEqual(['running', 'new']);
    clock.advance(200);
    expect([paused?.state, early.state, other?.state]).toEqual(['paused', 'running', 'running']);
  });
});

describe('slow readers, while others wait', () => {
  /** Calls of `client` that are answered, and whose readers are slow but take enough to be kept. */
  function readSlowly(
    count: number,
    client: string,
    object = (index: number) => `${client} ${index}`,
  ): Call[] {
    return Array.from({ length: count }, (_, index) => {
      const call = enter(object(index), client);
      call.answer();
      call.pause(600_000);
      return call;
    });
  }

  it('keep half of the connections', () => {
    const pausedFirst = ['paused', 'paused', 'running', 'running'];
    open(8);
    const slow = [...readSlowly(4, 'a'), ...readSlowly(4, 'b')];
    clock.advance(60_000);
    expect(running(slow), 'nobody waits').toBe(8);
    const others = enterAll(6, index => `other ${index}`);
    clock.advance(50);
    expect([running(slow), running(others)]).toEqual([4, 4]);
    expect(states(slow)).toEqual([...pausedFirst, ...pausedFirst]);
  });

  it('are given up after a second, no more than calls wait', () => {
    open(8);
    const slow = [...readSlowly(4, 'a'), ...readSlowly(4, 'b')];
    clock.advance(500);
    const other = enter('other');
    clock.advance(450);
    expect([running(slow), other.state]).toEqual([8, 'new']);
    clock.advance(50);
    expect([running(slow), other.state]).toEqual([7, 'running']);
  });

  it('of the client that holds most are given up first', () => {
    open(8);
    const [honest] = readSlowly(1, 'honest');
    const two = readSlowly(2, 'two');
    const many = readSlowly(5, 'many');
    clock.advance(1_000);
    enterAll(8, index => `other ${index}`);
    clock.advance(50);
    expect([honest?.state, running(two), running(many)]).toEqual(['running', 1, 2]);
  });

  it('do not get the connections that they lost before others do', () => {
    open(8);
    const slow = ['a', 'b'].flatMap(client => readSlowly(4, client));
    clock.advance(1_000);
    for (let index = 0; index < 20; index++) {
      enter(`again ${index}`, index % 2 ? 'a' : 'b');
      enter('same', 'a');
    }
    const others = [enter('other', 'c'), enter('same', 'd'), enter('fill')];
    expect(running(slow)).toBe(8);
    clock.advance(50);
    expect(running(others)).toBe(3);
  });

  it('of one object keep half of its share', () => {
    open(16);
    const slow = readSlowly(8, 'a', () => 'object');
    clock.advance(1_000);
    const others = Array.from({ length: 6 }, () => enter('object', 'b'));
    clock.advance(50);
    expect([running(slow), running(others)]).toEqual([4, 4]);
  });

  it('of fills lose the connection first, since a fill can go on later', () => {
    open(8);
    const slow = readSlowly(5, 'a');
    const fills = enterAll(3, index => `${index}`);
    for (const fill of fills) {
      fill.answer();
      fill.pause();
    }
    clock.advance(1_000);
    enterAll(8, index => `other ${index}`);
    clock.advance(50);
    expect([running(fills), running(slow)]).toEqual([0, 4]);
  });
});

it('whatever happens, bounds hold and every call comes to an end', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('enter' as const), object: fc.integer({ min: 0, max: 6 }) }),
    fc.record({
      kind: fc.constant('enter for' as const),
      isTimed: fc.boolean(),
      object: fc.integer({ min: 0, max: 6 }),
      client: fc.integer({ min: 0, max: 3 }),
    }),
    fc.record({
      kind: fc.constantFrom('end' as const, 'answer' as const, 'pause' as const),
      at: fc.nat(200),
    }),
    fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 1_500 }) }),
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.nat(12),
      fc.array(step, { maxLength: 200 }),
      (connections, size, steps) => {
        clock = new ManualClock();
        open(connections, size);
        const calls: Call[] = [];
        const alive = () => calls.filter(({ state }) => state === 'running' || state === 'new');
        for (const one of steps) {
          if (one.kind === 'enter') calls.push(enter(`${one.object}`));
          else if (one.kind === 'enter for')
            calls.push((one.isTimed ? enter : write)(`${one.object}`, `${one.client}`));
          else if (one.kind === 'advance') clock.advance(one.ms);
          else {
            const call = alive()[one.at % Math.max(1, alive().length)];
            if (one.kind === 'end') call?.end();
            else if (call?.state === 'running' && one.kind === 'answer' && !call.isAnswered) call.answer();
            else if (call?.state === 'running' && call.pausedSinceMs === undefined) call.pause();
          }
          expect(running(calls)).toBeLessThanOrEqual(connections);
          const waiting = calls.filter(({ state }) => state === 'new');
          expect(waiting.length).toBeLessThanOrEqual(size);
          expect(queue.counts().waiting).toBe(waiting.length);
          const half = Math.max(1, Math.floor(connections / 2));
          const most = { true: Math.ceil((connections * 3) / 4), false: Math.ceil(half / 2) };
          const ofClient = (name: string | undefined, isTimed: boolean) =>
            calls.filter(call => call.client === name && call.isTimed === isTimed);
          const isFull = ({ object, client, isTimed }: Call) => {
            const writes = calls.filter(call => !call.isTimed);
            return (
              running(calls) >= connections ||
              running(calls.filter(call => call.object === object)) >= Math.ceil(connections / 2) ||
              (!isTimed && running(writes) >= half) ||
              (client !== undefined && running(ofClient(client, isTimed)) >= most[`${isTimed}`])
            );
          };
          expect(
            waiting.filter(call => !isFull(call)),
            'waits for nothing',
          ).toEqual([]);
          expect(running(calls.filter(call => !call.isTimed))).toBeLessThanOrEqual(half);
          for (let name = 0; name <= 6; name++) {
            const ofObject = calls.filter(call => call.object === `${name}`);
            expect(running(ofObject)).toBeLessThanOrEqual(Math.ceil(connections / 2));
            for (const isTimed of [true, false])
              expect(running(ofClient(`${name}`, isTimed))).toBeLessThanOrEqual(most[`${isTimed}`]);
          }
        }
        clock.advance(10_100);
        expect(states(calls)).not.toContain('new');
      },
    ),
  );
});
