import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { quotedPart } from './claimed-access-key.ts';
import type { HeaderPrefix } from './dialect.ts';
import { S3Error, s3Error } from './error.ts';
import { ALGORITHM, SERVICE } from './sigv4-canonical.ts';
import { parseCredential, parseTimestamp } from './sigv4-claim.ts';
import { accessKeyUnknown, MAX_EXPIRES_S, MAX_SKEW_MS, timeTooSkewed } from './sigv4-errors.ts';
import { type ClientSecrets, type SigningKeys, signingSecret } from './sigv4-keys.ts';

/** What a signature of a form is verified with. */
interface Verifier {
  readonly findClient: (accessKeyId: string) => ClientSecrets | undefined;
  readonly clock: Clock;
  readonly keys: SigningKeys;
}

/** Who has signed a form, and with which of its secrets. */
interface FormSigner {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const names = ['algorithm', 'credential', 'date', 'signature'] as const;

/** The prefix of the fields that sign a form; undefined for a form without a signature. */
export function prefixOfForm(fields: ReadonlyMap<string, string>): HeaderPrefix | undefined {
  const prefixes: readonly HeaderPrefix[] = ['x-amz-', 'x-store-'];
  const found = prefixes.find(prefix => names.some(name => fields.has(prefix + name)));
  return found ?? (fields.has('policy') ? 'x-amz-' : undefined);
}

/**
 * Verifies the signature of a form, which is that of its policy
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-authentication-HTTPPOST.html).
 *
 * @param fields by lower-case name
 * @param region that the signature must be for
 * @returns undefined for a form without a signature
 * @throws S3Error InvalidArgument for fields that are missing or malformed; InvalidAccessKeyId; SignatureDoesNotMatch;
 * AccessDenied for a signature that is too old, RequestTimeTooSkewed for one of the future
 */
export function verifyForm(
  fields: ReadonlyMap<string, string>,
  region: string,
  { findClient, clock, keys }: Verifier,
): FormSigner | undefined {
  const prefix = prefixOfForm(fields);
  if (!prefix) return undefined;
  const field = (name: string) => {
    const value = fields.get(name);
    if (value === undefined) throw fieldMissing(name);
    return value;
  };
  const policy = field('policy');
  const [algorithm, credential, date, signature] = [
    field(`${prefix}algorithm`),
    field(`${prefix}credential`),
    field(`${prefix}date`),
    field(`${prefix}signature`),
  ];
  if (algorithm !== ALGORITHM)
    throw invalidField('X-Amz-Algorithm', algorithm, `Only ${ALGORITHM} is supported`);
  const signedMs = parseTimestamp(date);
  if (signedMs === undefined)
    throw invalidField('X-Amz-Date', date, 'X-Amz-Date must be formated via ISO8601 Long format');
  const { accessKeyId, scope } = credentialOf(credential, prefix);
  if (scope.region !== region)
    throw invalidField(
      `${prefix}credential`,
      credential,
      `the region "${quotedPart(scope.region)}" is wrong; expecting "${region}"`,
    );
  if (scope.service !== SERVICE)
    throw invalidField(
      `${prefix}credential`,
      credential,
      `incorrect service. This endpoint belongs to "s3".`,
    );
  if (scope.date !== date.slice(0, 8))
    throw invalidField(`${prefix}credential`, credential, `the date is not that of ${prefix}date`);
  const ageMs = clock.nowMs() - signedMs;
  if (ageMs < -MAX_SKEW_MS) throw timeTooSkewed(date, clock.nowMs());
  if (ageMs > MAX_EXPIRES_S * 1_000)
    throw s3Error('AccessDenied', { message: 'Invalid according to Policy: Policy expired.' });
  const client = findClient(accessKeyId);
  // no form is made with temporary credentials, of which the gateway gives out none
  if (!client) throw accessKeyUnknown(accessKeyId);
  const secretAccessKey = signingSecret(client, secret =>
    isSame(keys.sign({ accessKeyId, secretAccessKey: secret }, scope, policy), signature),
  );
  if (secretAccessKey === undefined) throw mismatch(accessKeyId, policy, signature);
  return { accessKeyId, secretAccessKey };
}

/** The texts for credentials are those of signatures in headers, without what they begin with there. */
function credentialOf(credential: string, prefix: HeaderPrefix) {
  try {
    return parseCredential(credential, 'header', prefix);
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    const detail = error.message.replace(/^The authorization header is malformed; /, '');
    throw invalidField(`${prefix}credential`, credential, detail);
  }
}

function isSame(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** A field that a form has to have. */
export function fieldMissing(name: string): S3Error {
  return invalidField(
    name,
    '',
    `Bucket POST must contain a field named '${name}'.  If it is specified, please check the order of the fields.`,
  );
}

function invalidField(name: string, value: string, message: string): S3Error {
  return s3Error('InvalidArgument', {
    message,
    fields: [
      ['ArgumentName', name],
      ['ArgumentValue', value],
    ],
    reason: 'invalid signature of a form',
  });
}

function mismatch(accessKeyId: string, policy: string, signature: string): S3Error {
  return s3Error('SignatureDoesNotMatch', {
    reason: 'wrong signature',
    fields: [
      ['AWSAccessKeyId', accessKeyId],
      ['StringToSign', policy],
      ['SignatureProvided', signature],
      [
        'StringToSignBytes',
        Buffer.from(policy, 'latin1')
          .toString('hex')
          .replace(/..(?!$)/g, '$& '),
      ],
    ],
  });
}
