import { z } from 'zod';
import { credentialsSchema } from './credentials-schema.ts';
import type { Environment } from './environment.ts';
import { choice, duration, map, text } from './scalars.ts';

const QUEUE_URL =
  'the address of a queue such as https://sqs.eu-west-1.amazonaws.com/123456789012/NAME, without query or credentials';

const queueUrl = z.string({ error: QUEUE_URL }).refine(
  value => {
    const url = URL.parse(value);
    if (!url || !/^https?:$/.test(url.protocol)) return false;
    return (
      [url.username, url.password, url.search, url.hash].every(part => part === '') && url.pathname !== '/'
    );
  },
  { error: QUEUE_URL },
);

/** The region in the address of a queue of the service itself. */
function regionOf(url: string): string | undefined {
  return /^sqs(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com(?:\.cn)?|api\.aws)$/.exec(
    new URL(url).hostname,
  )?.[1];
}

const queue = (environment: Environment) =>
  map({
    url: queueUrl,
    region: text('a region name').optional().meta({ otherwise: 'that in the address, else `us-east-1`' }),
    credentials: credentialsSchema(environment).default({ kind: 'none' }),
    backend: text('the name of a backend').optional().meta({ otherwise: 'each that has the bucket' }),
    wait: duration(1_000, 20_000).default(20_000),
    malformed: choice(['keep', 'delete']).default('keep'),
  }).transform(({ region, wait, ...rest }) => ({
    ...rest,
    region: region ?? regionOf(rest.url) ?? 'us-east-1',
    waitMs: wait,
  }));

/** Where the gateway itself asks for the events of stores. */
export const eventsSchema = (environment: Environment) => map({ queue: queue(environment).optional() });
