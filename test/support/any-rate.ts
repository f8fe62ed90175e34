import { systemClock } from '../../src/base/clock.ts';
import { DownloadRates } from '../../src/gateway/reply/download-rates.ts';

/** Lets every client have bodies as fast as it takes them. */
export const anyRate = new DownloadRates({ ratePerAddressBytes: 0, ratePerAccessKeyBytes: 0 }, systemClock);
