import { z } from 'zod';
import { amount, choice, flag, map, text } from './scalars.ts';

const settings = map({
  format: choice(['json', 'combined']).default('json'),
  file: text('the path of a file').optional().meta({ otherwise: 'standard output' }),
  sample: amount(0, 1, 'a share of the requests from 0 to 1, such as 0.1').default(1),
});

/** `log.access`: whether there is an access log, or how it is written; gives false, or the latter. */
export const accessLogSchema = z
  .union([flag(), settings], { error: 'true, false, or a map of format, file, sample' })
  .default(true)
  .transform(value => (value === true ? settings.parse({}) : value));
