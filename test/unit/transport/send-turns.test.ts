import { expect, it } from 'vitest';
import { type QueuedSender, SendTurns } from '../../../src/transport/send-turns.ts';

const mebibyte = 1_048_576;

const endOfTurn = () => new Promise<void>(resolve => setImmediate(resolve));

/** Sends as many pieces as it is allowed to, one after the other. */
class Sender implements QueuedSender {
  readonly #turns: SendTurns;
  readonly #pieceBytes: number;
  sentBytes = 0;
  leftPieces: number;

  constructor(turns: SendTurns, pieces: number, pieceBytes = mebibyte) {
    this.#turns = turns;
    this.leftPieces = pieces;
    this.#pieceBytes = pieceBytes;
  }

  begin(): void {
    while (this.leftPieces > 0 && this.#turns.mayBegin(this, this.#pieceBytes)) this.#send();
  }

  sendNow(): void {
    this.#send();
    this.begin();
  }

  #send(): void {
    this.leftPieces--;
    this.sentBytes += this.#pieceBytes;
  }
}

function sentBy(senders: readonly Sender[]): number {
  return senders.reduce((sum, { sentBytes }) => sum + sentBytes, 0);
}

it('sends two MiB in a turn of the event loop, however many want to send', async () => {
  const turns = new SendTurns();
  const senders = Array.from({ length: 100 }, () => new Sender(turns, 4));
  for (const sender of senders) sender.begin();
  for (let turn = 1; turn <= 200; turn++) {
    expect(sentBy(senders)).toBe(turn * 2 * mebibyte);
    await endOfTurn();
  }
  await endOfTurn();
  expect(senders.every(({ leftPieces }) => leftPieces === 0)).toBe(true);
});

it('gives each one piece before any gets its next', async () => {
  const turns = new SendTurns();
  const senders = Array.from({ length: 7 }, () => new Sender(turns, 1000, 100_000));
  for (const sender of senders) sender.begin();
  // the first had nobody beside it in the first turn
  const [, ...others] = senders;
  for (let turn = 0; turn < 20; turn++) {
    await endOfTurn();
    const pieces = others.map(({ leftPieces }) => leftPieces);
    expect(Math.max(...pieces) - Math.min(...pieces)).toBeLessThanOrEqual(1);
  }
  expect(Math.max(...others.map(({ leftPieces }) => leftPieces))).toBeLessThan(950);
});

it('has no turn for one that has given up, and none of it is counted', async () => {
  const turns = new SendTurns();
  const [first, gone, last] = [new Sender(turns, 2), new Sender(turns, 1), new Sender(turns, 2)];
  for (const sender of [first, gone, last]) sender.begin();
  turns.cancel(gone);
  await endOfTurn();
  expect([first.sentBytes, gone.sentBytes, last.sentBytes]).toEqual([2 * mebibyte, 0, 2 * mebibyte]);
});
