import { describe, expect, it } from 'vitest';
import type { Store, StoreCall, StoreReceiver, StoreRequest } from '../../../../../src/backend/store.ts';
import { StoreError } from '../../../../../src/backend/store.ts';
import type { OpenWrite } from '../../../../../src/cache/open-writes.ts';
import type { ClientBody } from '../../../../../src/gateway/pass/write/client-body.ts';
import { StoreWrite } from '../../../../../src/gateway/pass/write/store-write.ts';

const request: StoreRequest = { method: 'PUT', bucket: 'b', key: 'k', query: '', fields: [] };

/** One write, with a list of all that happens to it in its order. */
function setup(body?: { isSent: boolean }, changesNothing = false, resultLimitBytes = 0) {
  const events: string[] = [];
  const note = (event: string) => () => void events.push(event);
  const call: StoreCall = {
    ...{ pause: note('pause'), resume: note('resume'), took: note('took'), abort: note('abort') },
  };
  let asked: StoreReceiver | undefined;
  const store: Store = {
    name: 'main',
    identity: 'main',
    send: (_, receiver) => {
      asked = receiver;
      return call;
    },
    mayRetry: () => true,
    close: () => Promise.resolve(),
  };
  const open: OpenWrite = {
    changesNothing,
    ...{ answered: note('epoch, answered'), refused: note('refused') },
    ...{ unsettled: note('unsettled'), over: note('epoch, over') },
  };
  const clientBody = body && {
    leave: note('leave'),
    stop: note('stop'),
    get isSent() {
      return body.isSent;
    },
  };
  let waiting = 0;
  const writer = {
    beginWrite: () => {
      waiting++;
      return () => void waiting--;
    },
  };
  const write = StoreWrite.send(writer, {
    resultLimitBytes,
    ...{ store, request, body: clientBody as ClientBody | undefined, open },
    receiver: {
      ...{ answered: note('answered'), arrived: note('arrived'), ended: note('ended') },
      failed: error => events.push(`failed: ${error}`),
    },
  });
  if (!asked) throw new Error('the store was not asked');
  return { events, write, asked, waiting: () => waiting };
}

it('the cache learns of a write before the client learns how it went', () => {
  const { events, asked } = setup({ isSent: true });
  asked.answered({ status: 200, fields: [] });
  asked.arrived(Buffer.from('x'));
  asked.ended();
  expect(events.filter(event => event !== 'stop' && event !== 'leave')).toEqual([
    ...['epoch, answered', 'answered', 'arrived', 'epoch, over', 'ended'],
  ]);
});

it.each<[string, (parts: ReturnType<typeof setup>) => void]>([
  ['was answered', ({ asked }) => asked.ended()],
  ['failed', ({ asked }) => asked.failed(new StoreError('BROKEN', 'cut', undefined))],
  ['was refused', ({ write }) => write.refuse(new Error('not what was declared'))],
])('its client counts among those that wait until it %s, and is then counted no more', (_, end) => {
  const parts = setup({ isSent: true });
  parts.asked.answered({ status: 200, fields: [] });
  expect(parts.waiting()).toBe(1);
  end(parts);
  // a call that was aborted may fail afterwards
  parts.asked.failed(new StoreError('BROKEN', 'cut', undefined));
  expect(parts.waiting()).toBe(0);
});

it('also of one that failed', () => {
  const { events, asked } = setup({ isSent: true });
  asked.failed(new StoreError('UNREACHABLE', 'no connection', undefined));
  expect(events).toEqual(['stop', 'epoch, over', 'failed: Error: no connection']);
});

it.each(['BROKEN', 'TIMEOUT', 'INVALID', 'FAULT'] as const)(
  'law 5: a whole write that fails as %s may be carried out later',
  code => {
    for (const body of [{ isSent: true }, undefined]) {
      const { events, asked } = setup(body);
      asked.failed(new StoreError(code, 'failed', undefined));
      expect(events.filter(event => event !== 'stop' && event !== 'leave')).toEqual([
        ...['unsettled', 'epoch, over', 'failed: Error: failed'],
      ]);
    }
  },
);

it('also when nobody waits for its answer any more', () => {
  const { events, write, asked } = setup({ isSent: true });
  write.abort();
  asked.failed(new StoreError('BROKEN', 'cut', undefined));
  expect(events).toContain('unsettled');
});

it('a write that the store did not get whole, or not at all, is not carried out later', () => {
  for (const code of ['BROKEN', 'TIMEOUT'] as const) {
    const { events, asked } = setup({ isSent: false });
    asked.failed(new StoreError(code, 'failed', undefined));
    expect(events).not.toContain('unsettled');
  }
  for (const code of ['UNREACHABLE', 'BUSY', 'UNSIGNED'] as const) {
    const { events, asked } = setup();
    asked.failed(new StoreError(code, 'failed', undefined));
    expect(events).not.toContain('unsettled');
  }
});

it.each([
  [500, 'unsettled', 'epoch, answered'],
  [503, 'unsettled', 'epoch, answered'],
  [504, 'unsettled', 'epoch, answered'],
  [501, 'epoch, answered', 'epoch, answered'],
  [412, 'refused', 'refused'],
  [301, 'epoch, answered', 'epoch, answered'],
  [204, 'epoch, answered', 'epoch, answered'],
])(
  'what %d says of a whole write (%s), and of one that the store did not get whole (%s)',
  (status, whole, part) => {
    const { events, asked } = setup({ isSent: true });
    asked.answered({ status, fields: [] });
    expect(events[0]).toBe(whole);
    const early = setup({ isSent: false });
    early.asked.answered({ status, fields: [] });
    expect(early.events[0]).toBe(part);
  },
);

it('no more of a body is taken once the store answers, before the client learns of it', () => {
  const { events, asked } = setup({ isSent: false });
  asked.answered({ status: 403, fields: [] });
  expect(events).toEqual(['refused', 'leave', 'answered']);
});

it('a client that leaves in its body cuts off the request, and is told nothing more', () => {
  const { events, write, asked } = setup({ isSent: false });
  write.abort();
  expect(events).toEqual(['abort', 'stop', 'epoch, over']);
  asked.failed(new StoreError('BROKEN', 'cut', undefined));
  expect(events).not.toContain('failed: Error: cut');
});

it.each([{ isSent: true }, undefined])(
  'when a client leaves after the whole request was sent, the answer is awaited: %o',
  body => {
    const { events, write, asked } = setup(body);
    write.abort();
    expect(events).toEqual(['resume']);
    asked.answered({ status: 200, fields: [] });
    asked.ended();
    expect(events.filter(event => event !== 'stop' && event !== 'leave')).toEqual([
      'resume',
      'epoch, answered',
      'epoch, over',
    ]);
  },
);

it('an answer that was for the client alone is cut off when it leaves', () => {
  const { events, write, asked } = setup({ isSent: true }, true);
  asked.answered({ status: 200, fields: [] });
  write.abort();
  expect(events.slice(-3)).toEqual(['abort', 'stop', 'epoch, over']);
});

describe('an answer that nobody waits for any more', () => {
  const lengths = [1, 65_535, 1];

  it.each([
    ['begins after that', false],
    ['has begun', true],
  ])('is cut off where its head has told all: it %s', (_, hasBegun) => {
    const { events, write, asked, waiting } = setup({ isSent: true });
    if (hasBegun) asked.answered({ status: 200, fields: [] });
    write.abort();
    if (!hasBegun) {
      asked.answered({ status: 200, fields: [] });
      expect(events).not.toContain('abort');
      asked.arrived(Buffer.from('x'));
    }
    expect(events.slice(-3)).toEqual(['abort', 'stop', 'epoch, over']);
    expect([events.includes('unsettled'), waiting()]).toEqual([false, 0]);
  });

  it.each([false, true])('is awaited up to 64 KiB where a result is to come (begun: %j)', hasBegun => {
    const { events, write, asked } = setup({ isSent: true }, false, 65_536);
    if (hasBegun) asked.answered({ status: 200, fields: [] });
    write.abort();
    if (!hasBegun) asked.answered({ status: 200, fields: [] });
    for (const length of lengths) {
      expect(events).not.toContain('abort');
      asked.arrived(Buffer.alloc(length));
    }
    expect(events.slice(-4)).toEqual(['unsettled', 'abort', 'stop', 'epoch, over']);
  });
});

it.each([
  ['leaves it open', 200, ['unsettled']],
  ['says that nothing has come of it where it refuses', 412, []],
])('a result that nobody has read, of a client that has left, %s', (_, status, expected) => {
  const { events, write, asked } = setup({ isSent: true }, false, 65_536);
  write.abort();
  asked.answered({ status, fields: [] });
  asked.ended();
  expect(events.filter(event => event === 'unsettled')).toEqual(expected);
});

it('a refusal that nobody waits for is cut off, whatever result there would have been', () => {
  const { events, write, asked } = setup({ isSent: true }, false, 65_536);
  asked.answered({ status: 412, fields: [] });
  write.abort();
  expect(events.slice(-3)).toEqual(['abort', 'stop', 'epoch, over']);
  expect(events).not.toContain('unsettled');
});

it('a result that its client has read is told by that', () => {
  const { events, asked } = setup({ isSent: true }, false, 65_536);
  asked.answered({ status: 200, fields: [] });
  asked.ended();
  expect(events).not.toContain('unsettled');
});

it('a body that is refused ends the call before the client is told', () => {
  const { events, write } = setup({ isSent: false });
  write.refuse(new Error('not what was declared'));
  expect(events).toEqual(['abort', 'stop', 'epoch, over', 'failed: Error: not what was declared']);
});

it('an answer that is not waited for to its end leaves open what becomes of the write', () => {
  const { events, write, asked } = setup();
  asked.answered({ status: 200, fields: [] });
  write.refuse(new Error('no answer to a write'));
  const failed = 'failed: Error: no answer to a write';
  expect(events).toEqual(['epoch, answered', 'answered', 'unsettled', 'abort', 'epoch, over', failed]);
});

describe('a store that refuses a body before it has all of it', () => {
  it('may still answer: the body goes on to be open, and nothing more is taken of the client', () => {
    const { events, asked } = setup({ isSent: false });
    asked.answered({ status: 412, fields: [] });
    expect(events).toEqual(['refused', 'leave', 'answered']);
    asked.ended();
    expect(events.slice(3)).toEqual(['stop', 'epoch, over', 'ended']);
  });

  it('may close the connection, and its answer ends with what it has said', () => {
    const { events, asked } = setup({ isSent: false });
    asked.answered({ status: 403, fields: [] });
    asked.failed(new StoreError('BROKEN', 'closed', undefined));
    expect(events).toContain('ended');
    expect(events).not.toContain('failed: Error: closed');
  });

  it.each([
    [true, 403, 'TIMEOUT', 'ended'],
    [false, 403, 'TIMEOUT', 'ended'],
    [true, 403, 'FAULT', 'failed: Error: broken'],
    [true, 200, 'BROKEN', 'failed: Error: broken'],
  ] as const)(
    'what it has said is the answer if it refused and the rest does not come: body sent %o, %d, %s',
    (isSent, status, code, told) => {
      const { events, asked } = setup({ isSent });
      asked.answered({ status, fields: [] });
      asked.failed(new StoreError(code, 'broken', undefined));
      expect(events.at(-1)).toBe(told);
    },
  );
});

it('an answer whose document does not say what became of the write leaves it open, also once it has ended', () => {
  const { events, write, asked } = setup();
  asked.answered({ status: 200, fields: [] });
  asked.ended();
  write.undecided();
  expect(events.at(-1)).toBe('unsettled');
  const cut = setup({ isSent: false });
  cut.write.undecided();
  expect(cut.events).toEqual([]);
});
