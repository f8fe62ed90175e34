import { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import type { ContentReader } from '../../../../src/cache/content.ts';
import type { Coverage } from '../../../../src/cache/coverage.ts';
import { BodyRate } from '../../../../src/gateway/reply/body-rates.ts';
import { PacedReader } from '../../../../src/gateway/reply/paced-reader.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

it('tells what its reader is told of how much is held', async () => {
  let held: Coverage | undefined;
  const reader: ContentReader = {
    get held() {
      return held;
    },
    next: async () => {
      held = 'some';
      return undefined;
    },
    close: () => undefined,
  };
  const response: ServerResponse = Object.create(ServerResponse.prototype);
  const paced = new PacedReader(reader, new BodyRate([], new ManualClock()), response);
  expect(paced.held).toBeUndefined();
  await paced.next();
  expect(paced.held).toBe('some');
});
