import type { CardOutcome } from './card-metrics.ts';
import type { Settlement, WaitingCard } from './outbox.ts';
import type { ReplyVerdict } from './reply.ts';

const TOO_LARGE = 'too large for the channel';

/** The consequence of a verdict for the cards of the post. */
export function settle(verdict: ReplyVerdict, cards: readonly WaitingCard[]): Settlement {
  const [card] = cards;
  const many = cards.length > 1;
  switch (verdict.kind) {
    case 'delivered':
      return { kind: 'delivered' };
    case 'throttled':
    case 'retry':
      return { kind: 'kept' };
    case 'too-large':
      if (many) return { kind: 'parted' };
      return card?.shrunk ? { kind: 'dead', reason: TOO_LARGE } : { kind: 'shrunk' };
    case 'refused':
      return many ? { kind: 'parted' } : { kind: 'dead', reason: verdict.reason };
  }
}

/** The metric label of a post. */
export function cardOutcomeOf(verdict: ReplyVerdict, settlement: Settlement): CardOutcome {
  if (settlement.kind === 'dead') return 'refused';
  return verdict.kind === 'retry' ? 'retried' : verdict.kind;
}

/** Why a card was not delivered, without any text from the service; undefined when it was. */
export function reasonOf(verdict: ReplyVerdict): string | undefined {
  switch (verdict.kind) {
    case 'delivered':
      return undefined;
    case 'throttled':
      return 'the channel is throttled';
    case 'too-large':
      return TOO_LARGE;
    default:
      return verdict.reason;
  }
}
