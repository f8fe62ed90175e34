import { systemClock } from '../../src/base/clock.ts';
import { BodyRates } from '../../src/gateway/reply/body-rates.ts';

/** Lets every client have bodies as fast as it takes them. */
export const anyRate = new BodyRates({ ratePerAddressBytes: 0, ratePerAccessKeyBytes: 0 }, systemClock);
