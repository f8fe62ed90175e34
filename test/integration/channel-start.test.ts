import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { EventStream } from '../support/event-stream.ts';
import { HURRY, hurried } from '../support/hurried-clock.ts';
import { freePort, RealProcess } from '../support/real-process.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;
/** Alerts are watched faster than time passes. */
const hurry = new URL('../fixtures/hurried-supervisor.ts', import.meta.url).pathname;
const clock = hurried(systemClock, HURRY);
let directory: string;
let gateway: RealProcess;
let events: EventStream;
let url: string;
let admin: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-default-'));
  const [port, adminPort] = [await freePort(), await freePort()];
  const environment = { TIDEGATE_PORT: String(port), TIDEGATE_ADMIN_PORT: String(adminPort) };
  gateway = new RealProcess(process.execPath, ['--import', hurry, main], { cwd: directory, environment });
  url = `http://127.0.0.1:${port}`;
  admin = `http://127.0.0.1:${adminPort}`;
  await gateway.answers(`${admin}/readyz`);
  events = await EventStream.open(`${admin}/channel/events`);
});
afterEach(async () => {
  await events.close();
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

interface Button {
  readonly title: string;
  readonly data?: { readonly action: readonly number[] };
  readonly card?: { readonly actions: readonly Button[] };
}

interface Message {
  readonly id: number;
  readonly cards: readonly { readonly actions?: readonly Button[] }[];
}

/** The next message whose cards hold `words`. */
async function messageWith(words: string): Promise<Message> {
  for (;;) {
    const message = (await events.next('message')) as Message;
    if (JSON.stringify(message.cards).includes(words)) return message;
  }
}

/** Reads an object that lies in the archive, again and again, until a card's text holds `words`. */
async function readUntilTold(words: string): Promise<Message> {
  let done = false;
  const reading = (async () => {
    for (; !done; await wait(100)) {
      const answer = await fetch(`${url}/sample/archive.bin`);
      expect(answer.status).toBe(403);
      await answer.text();
    }
  })();
  const message = await messageWith(words);
  done = true;
  await reading;
  return message;
}

/** Presses the button of this name, with what is entered in its card where it has one. */
async function press({ id, cards }: Message, title: string, inputs: Record<string, string> = {}) {
  const button = cards.flatMap(card => card.actions ?? []).find(action => action.title.startsWith(title));
  const action = (button?.card ? button.card.actions[0] : button)?.data?.action;
  const answer = await fetch(`${admin}/channel/actions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: id, action, inputs }),
  });
  return answer.json();
}

it('the start without a configuration tells of archived objects, and its buttons work', async () => {
  const card = await readUntilTold('Archived objects are requested');
  expect(JSON.stringify(card)).toContain('archive');

  expect(await press(card, 'Acknowledge')).toMatchObject({ kind: 'done' });
  const acknowledged = await messageWith('Acknowledged by');
  expect(acknowledged.id).toBe(card.id);

  expect(await press(acknowledged, 'Restore', { days: '1', tier: 'Standard' })).toEqual({
    kind: 'done',
    status: 'The store has begun to restore it.',
  });
  const restoring = await messageWith('The store has begun to restore it');

  const until = new Date(clock.nowMs() + 7_200_000).toISOString();
  const silenced = await press(restoring, 'Silence', { duration: '3600000', until, why: 'seen & known' });
  expect(silenced).toMatchObject({ kind: 'done' });
  expect(await (await fetch(`${admin}/api/alerts`)).json()).toMatchObject({
    silences: [{ rule: 'archivedObjects', why: 'seen & known', until }],
    acts: [{ action: 'silence' }, { action: 'restore' }, { action: 'acknowledge' }],
  });
});
