import { errorCode } from '../../base/error-code.ts';
import { causeName } from '../failure-cause.ts';

/** Why a source gave no credentials. */
export interface CredentialFailure {
  /** The name of an error: `ECONNREFUSED`, `AccessDenied`. */
  readonly cause: string;
  /** What the source said, without secrets (docs/architecture.md, law 7). */
  readonly text: string;
}

const TEXT_LIMIT = 300;

/** Texts for errors whose own quote what the source sent, or say too little. */
const ownTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at the address of the service',
  IncompleteSignature: 'the token service does not accept the signature of the source credentials',
  InstanceMetadataV1FallbackError:
    'the metadata service gave no token (IMDSv2): it cannot be reached or, from a container, its hop limit is below 2',
  SignatureDoesNotMatch: 'the token service does not accept the signature of the source credentials',
  SyntaxError: 'the answer of the service is not JSON',
};

const errorName = /^[A-Za-z][A-Za-z0-9.]{2,63}$/;

/** An error that a source of credentials ends with, for log lines, status and reports. Never throws. */
export function failureOf(error: unknown): CredentialFailure {
  if (!(error instanceof Error)) return { cause: 'UNKNOWN', text: 'the source failed' };
  const name = errorName.test(error.name) ? error.name : 'Error';
  const cause = causeName(error) ?? name;
  return { cause, text: textOf(error, cause, name).slice(0, TEXT_LIMIT) };
}

function textOf(error: Error, cause: string, name: string): string {
  const own = Object.hasOwn(ownTexts, cause) ? ownTexts[cause] : ownTexts[name];
  if (own !== undefined) return own;
  // the rest of this message is the command line and what the command printed
  if (error.message.startsWith('Command failed')) return 'the command failed: run it by hand to see why';
  if ('path' in error && typeof error.path === 'string' && errorCode(error))
    return `${error.path} cannot be read`;
  return withoutSecrets(error.message) || 'the source failed';
}

/** Runs of characters so long may be keys or tokens. */
const keyLike = /[\w+/=.~%-]{20,}/g;

/** Words of small letters, and names of the field: `AssumeRoleWithWebIdentity`, `AWS_CONTAINER_CREDENTIALS_FULL_URI`. */
const plainWord = /^(?:(?:[A-Z][a-z]+){2,6}|AWS(?:_[A-Z]+){1,6}|[a-z]{1,20}[/-][a-z]{1,20})[.,]?$/;

/** The beginning of a service's message. Tokens and keys are left out; names of roles (ARNs) stay. */
function withoutSecrets(message: string): string {
  const line = message.split(/[\r\n]/, 1)[0] ?? '';
  return line
    .split(' ')
    .map(word => (isName(word) ? word : word.replace(keyLike, '[redacted]')))
    .join(' ');
}

/** An ARN of AWS has an account of 12 digits, and a path of names. */
function isName(word: string): boolean {
  return plainWord.test(word) || /^arn:[\w-]{1,20}:(?:iam|sts)::\d{12}:[\w+=,.@/-]{1,200}$/.test(word);
}
