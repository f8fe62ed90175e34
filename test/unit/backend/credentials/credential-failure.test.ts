import { expect, it } from 'vitest';
import { failureOf } from '../../../../src/backend/credentials/credential-failure.ts';

const named = (name: string, message: string) => Object.assign(new Error(message), { name });

it.each<readonly [unknown, string, string]>([
  [
    named(
      'AccessDenied',
      'User: arn:aws:iam::123456789012:user/gateway-production-reader is not authorized to perform: sts:AssumeRole',
    ),
    'AccessDenied',
    'User: arn:aws:iam::123456789012:user/gateway-production-reader is not authorized to perform: sts:AssumeRole',
  ],
  [
    named(
      'InvalidIdentityToken',
      'No OpenIDConnect provider for eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwcyJ9.c2ln',
    ),
    'InvalidIdentityToken',
    'No OpenIDConnect provider for [redacted]',
  ],
  [
    named('ValidationError', 'the key wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY is bad\nand a second line'),
    'ValidationError',
    'the key [redacted] is bad',
  ],
  [
    named('CredentialsProviderError', 'token=AQoDYXdzEPT//////////wEXAMPLE/+abc=='),
    'CredentialsProviderError',
    '[redacted]',
  ],
  [
    named('SignatureDoesNotMatch', 'The Canonical String should have been x-amz-security-token:planted'),
    'SignatureDoesNotMatch',
    'the token service does not accept the signature of the source credentials',
  ],
  [
    new SyntaxError('Unexpected token p, "planted" is not valid JSON'),
    'SyntaxError',
    'the answer of the service is not JSON',
  ],
  [
    named('CredentialsProviderError', 'Command failed: get --password=planted\nplanted'),
    'CredentialsProviderError',
    'the command failed: run it by hand to see why',
  ],
  [
    Object.assign(new Error('open'), { code: 'EACCES', path: '/var/run/secrets/a-token' }),
    'EACCES',
    '/var/run/secrets/a-token cannot be read',
  ],
  [named('not a name', 'Profile x was not found.'), 'Error', 'Profile x was not found.'],
  [named('Error', ''), 'Error', 'the source failed'],
  [
    named('Error', 'AWS_CONTAINER_CREDENTIALS_FULL_URI is not in configuration/credentials file(s).'),
    'Error',
    'AWS_CONTAINER_CREDENTIALS_FULL_URI is not in configuration/credentials file(s).',
  ],
  ['a string', 'UNKNOWN', 'the source failed'],
])('%s', (error, cause, text) => {
  expect(failureOf(error)).toEqual({ cause, text });
});
