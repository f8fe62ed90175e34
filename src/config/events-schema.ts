import { z } from 'zod';
import { credentialsSchema } from './credentials-schema.ts';
import type { Environment } from './environment.ts';
import { choice, duration, listOf, map, text } from './scalars.ts';

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

const TOPIC_ARN = 'the ARN of a topic such as arn:aws:sns:eu-west-1:123456789012:NAME';

/** Topics of first-in-first-out kind end in `.fifo`, and send to no address. */
const topicArn = z
  .string({ error: TOPIC_ARN })
  .regex(/^arn:aws(?:-cn|-us-gov)?:sns:[a-z]{2}[a-z0-9-]{1,30}:\d{12}:[\w-]{1,256}$/, { error: TOPIC_ARN });

/** Those whose signature counts as a token does. */
const sns = map({
  topics: listOf(topicArn, 'ARNs of topics').min(1, { error: 'at least one ARN of a topic' }),
});

/** Whose events of stores are believed without a token, and where the gateway itself asks for them. */
export const eventsSchema = (environment: Environment) =>
  map({ sns: sns.optional(), queue: queue(environment).optional() });
