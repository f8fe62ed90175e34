import type { CardOutcome } from './card-metrics.ts';
import type { Settlement, WaitingCard } from './outbox.ts';
import type { ReplyVerdict } from './reply.ts';

/** An answer that means neither yes nor no is asked for this often; after that the card is given up. */
const MAX_UNCLEAR_ATTEMPTS = 5;
const TOO_LARGE = 'too large for the channel';

/** What a verdict means for the cards of the post. */
export function settle(verdict: ReplyVerdict, cards: readonly WaitingCard[]): Settlement {
  const [card] = cards;
  const many = cards.length > 1;
  switch (verdict.kind) {
    case 'delivered':
      return { kind: 'delivered' };
    case 'throttled':
      return { kind: 'kept' };
    case 'retry': {
      // the count is of the attempts begun before this one
      const givenUp = !verdict.understood && (card?.attempts ?? 0) + 1 >= MAX_UNCLEAR_ATTEMPTS;
      return givenUp ? { kind: 'dead', reason: verdict.reason } : { kind: 'kept' };
    }
    case 'too-large':
      if (many) return { kind: 'parted' };
      return card?.shrunk ? { kind: 'dead', reason: TOO_LARGE } : { kind: 'shrunk' };
    case 'refused':
      return many ? { kind: 'parted' } : { kind: 'dead', reason: verdict.reason };
  }
}

/** How a post is counted. */
export function outcomeOf(verdict: ReplyVerdict, settlement: Settlement): CardOutcome {
  if (settlement.kind === 'dead') return 'refused';
  return verdict.kind === 'retry' ? 'retried' : verdict.kind;
}

/** Why a card was not delivered, in words that hold nothing of what the service wrote; nothing where it was. */
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
