import { METHODS } from 'node:http';
import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import type { Environment } from '../config/environment.ts';
import { parseDurationMs } from '../config/units.ts';
import type { HeaderPrefix } from '../s3/dialect.ts';
import { SigningKeys } from '../s3/sigv4-keys.ts';
import { presignUrl } from '../s3/sigv4-sign.ts';
import { prefixOption } from './prefix-option.ts';
import { UsageError } from './usage-error.ts';

interface SignCommandOptions {
  readonly environment: Environment;
  readonly print: (line: string) => void;
}

interface SignOptions {
  readonly method: string;
  readonly expires: string;
  readonly region: string;
  readonly prefix: HeaderPrefix;
}

const MAX_EXPIRES_S = 604_800;

/** `tidegate sign URL`: presigns a URL with the credentials of the environment. */
export function addSignCommand(program: Command, { environment, print }: SignCommandOptions): void {
  program
    .command('sign')
    .description('presign a URL with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the environment')
    .argument('<url>', 'such as http://127.0.0.1:8080/photos/cat.jpg')
    .option('--method <method>', 'what the URL shall allow', 'GET')
    .option('--expires <duration>', 'from 1s to 7d', '1h')
    .option('--region <region>', 'the region of the scope', 'us-east-1')
    .addOption(prefixOption('how the parameters begin'))
    .action((url: string, options: SignOptions) => print(sign(url, options, environment)));
}

function sign(
  given: string,
  { method, expires, region, prefix }: SignOptions,
  environment: Environment,
): string {
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`${given} is not an http address`);
  refuseUnusable(method, region);
  const [rawPath = '', rawQuery = ''] = onTheWire(
    given.slice(given.indexOf(url.host) + url.host.length),
  ).split('?', 2);
  const request = {
    method,
    origin: url.origin,
    rawPath: rawPath || '/',
    rawQuery,
    expiresS: expiresS(expires),
  };
  return presignUrl(request, {
    credentials: credentials(environment),
    region,
    headerPrefix: prefix,
    nowMs: systemClock.nowMs(),
    keys: new SigningKeys(),
  });
}

/** @throws UsageError where nobody could use the URL */
function refuseUnusable(method: string, region: string): void {
  if (!METHODS.includes(method))
    throw new UsageError(`--method ${method} is not a method of HTTP, such as GET, HEAD, PUT or DELETE`);
  // it is one part of the scope, between slashes
  if (!/^[\w.-]+$/.test(region))
    throw new UsageError(`--region ${JSON.stringify(region)} is not a region, such as us-east-1`);
}

/** The path as a client sends it: everything except visible ASCII is percent-encoded, nothing is normalised. */
function onTheWire(target: string): string {
  return target.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}

function expiresS(expires: string): number {
  const seconds = (parseDurationMs(expires) ?? 0) / 1_000;
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_EXPIRES_S) return seconds;
  throw new UsageError(`--expires ${expires} is not a duration of whole seconds from 1s to 7d`);
}

function credentials({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN }: Environment) {
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    throw new UsageError('sign needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment');
  }
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN,
  };
}
