import type { OpenWrite } from '../../../cache/open-writes.ts';
import type { Exchange } from '../../request/exchange.ts';

/**
 * `open`, for which its client counts among those that wait for stores until it is over: else a client could have any
 * number of writes carried out by leaving each at its end.
 */
export function keepingPlace(exchange: Exchange, open: OpenWrite): OpenWrite {
  let over: (() => void) | undefined = exchange.beginWrite();
  return {
    ...open,
    answered: () => open.answered(),
    refused: () => open.refused(),
    unsettled: () => open.unsettled(),
    over: () => {
      open.over();
      over?.();
      over = undefined;
    },
  };
}
