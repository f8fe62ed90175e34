/** Part of the supervisor's composition root: the actions of card buttons, on alerts and on objects. */
import type { Purge } from '../admin/purge-route.ts';
import type { CardOperations } from '../alerts/callbacks/card-operations.ts';
import type { AlertEngine } from '../alerts/engine/alert-engine.ts';
import { matcherOf } from '../alerts/silences/silence.ts';
import type { Silences } from '../alerts/silences/silences.ts';
import type { RestoreOutcome, RestoreRequest } from '../gateway/operate/restore-object.ts';

/** Asks the store to restore an archived object. */
export type Restore = (request: RestoreRequest) => Promise<RestoreOutcome>;

interface OperationParts {
  readonly engine: AlertEngine;
  readonly silences: Silences;
  readonly purge: Purge;
  /** Undefined where restoring from cards is not allowed. */
  readonly restore: Restore | undefined;
}

export function cardOperations({ engine, silences, purge, restore }: OperationParts): CardOperations {
  return {
    find: id => engine.find(id),
    acknowledge: (id, by) => engine.acknowledge(id, by),
    silence: (alert, untilMs, by, why) => void silences.add({ ...matcherOf(alert), untilMs, by, why }),
    unsilence: alert => silences.removeMatching(alert).length,
    purge: purgeFromCard(purge),
    ...(restore ? { restore: restoreFromCard(restore) } : {}),
  };
}

function purgeFromCard(purge: Purge): NonNullable<CardOperations['purge']> {
  return async ({ bucket, key }) => {
    const outcome = await purge({ kind: 'object', soft: false, bucket, key });
    switch (outcome.kind) {
      case 'purged':
        return { kind: 'done', message: `Purged: ${outcome.bytes} bytes were held.` };
      case 'pending':
        return { kind: 'done', message: 'Purged.' };
      case 'unknown-bucket':
        return { kind: 'failed', message: 'There is no such bucket any more.' };
      case 'alias':
        return {
          kind: 'failed',
          message: 'Nothing is kept under this key: its store may take it for another.',
        };
    }
  };
}

function restoreFromCard(restore: Restore): NonNullable<CardOperations['restore']> {
  return async ({ bucket, key, versionId }, { days, tier }) => {
    const version = versionId === undefined ? {} : { versionId };
    const outcome = await restore({ bucket, key, ...version, days, tier });
    switch (outcome.kind) {
      case 'begun':
        return { kind: 'done', message: 'The store has begun to restore it.' };
      case 'ready':
        return { kind: 'done', message: 'It was restored already, and now stays longer.' };
      case 'refused':
        return outcome.code === 'RestoreAlreadyInProgress'
          ? { kind: 'done', message: 'The store is restoring it already.' }
          : { kind: 'failed', message: `The store refused to restore it: ${outcome.code}.` };
      case 'unreachable':
        return { kind: 'failed', message: 'The store cannot be reached.' };
      case 'unknown-bucket':
        return { kind: 'failed', message: 'There is no such bucket any more.' };
    }
  };
}
