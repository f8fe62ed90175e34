import { describe, expect, it } from 'vitest';
import { parsePostPolicy, requirePolicy } from '../../../src/s3/post-policy.ts';

const encoded = (document: unknown) => Buffer.from(JSON.stringify(document)).toString('base64');
const expiration = '2030-01-01T00:00:00Z';
const withCondition = (condition: unknown) => encoded({ expiration, conditions: [condition] });

// texts of Amazon S3, as versitygw has them (versity/versitygw s3err/post-object.go)
it.each([
  ['', "Expecting '{' but found End-of-Input"],
  ['not base64', 'invalid Base64 encoding.'],
  [Buffer.from('no JSON').toString('base64'), 'Invalid JSON.'],
  [encoded([]), 'Invalid JSON.'],
  [encoded({ conditions: [] }), 'Policy missing expiration.'],
  [encoded({ expiration }), 'Policy missing conditions.'],
  [encoded({ expiration: true, conditions: [] }), 'Invalid JSON.'],
  [encoded({ expiration: 'soon', conditions: [] }), "Invalid 'expiration' value: 'soon'"],
  [encoded({ expiration, conditions: true }), "Invalid 'conditions' value: must be a List."],
  [encoded({ expiration, conditions: [], more: 1 }), 'Unexpected: "more"'],
  [withCondition(true), 'Invalid condition test: must be a List or Object.'],
  [withCondition([]), 'Invalid Condition: missing operation identifier.'],
  [withCondition(['is', '$key', 'a']), "Invalid Condition: unknown operation 'is'."],
  [withCondition(['eq', '$key', 'a', 'b']), 'Invalid eq: wrong number of arguments.'],
  [withCondition(['eq', 1, 'a']), 'Invalid JSON.'],
  [withCondition(['eq', '$key', true]), 'Invalid JSON.'],
  [withCondition(['content-length-range', 1, 1.5]), 'Invalid JSON.'],
  [
    withCondition({ a: '1', b: '2' }),
    'Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.',
  ],
  [withCondition({ a: 1 }), 'Invalid Simple-Condition: value must be a string.'],
])('a policy is refused: %s', (policy, detail) => {
  expect(() => parsePostPolicy(policy)).toThrow(
    expect.objectContaining({ code: 'InvalidPolicyDocument', message: `Invalid Policy: ${detail}` }),
  );
});

it('a policy of padding alone is refused at once', () => {
  expect(() => parsePostPolicy(`a${'='.repeat(2 ** 20)}b`)).toThrow('invalid Base64 encoding.');
});

it('a field of a condition begins with a dollar sign', () => {
  expect(() => parsePostPolicy(withCondition(['eq', 'key', 'a']))).toThrow('["eq","key","a"]');
});

describe('a form', () => {
  const judge = (conditions: readonly unknown[], fields: Record<string, string>, lengthBytes = 5) => {
    const policy = parsePostPolicy(encoded({ expiration, conditions: [{ bucket: 'b' }, ...conditions] }));
    const form = { bucket: 'b', key: fields.key ?? '', fields: new Map(Object.entries(fields)), lengthBytes };
    requirePolicy(policy, form, Date.parse(expiration) - 1);
  };

  it.each([
    [[['eq', '$Key', 'a']], { key: 'a' }],
    [[['starts-with', '$key', '']], { key: 'a' }],
    [[['eq', '$x-amz-meta-n', 7]], { 'x-amz-meta-n': '7' }],
    [[['starts-with', '$Content-Type', 'text/']], { 'content-type': 'text/a, text/b' }],
    [[['content-length-range', '5', 5]], {}],
    [[], { 'x-ignore-me': '1', policy: 'x', 'x-amz-signature': 'y' }],
  ] as [unknown[], Record<string, string>][])('that meets %j is allowed', (conditions, fields) => {
    expect(() => judge(conditions, fields)).not.toThrow();
  });

  it.each([
    [[['eq', '$key', 'a']], { key: 'b' }, 'Policy Condition failed: ["eq","$key","a"]'],
    [[{ acl: 'private' }], { acl: 'public-read' }, 'Policy Condition failed: ["eq", "$acl", "private"]'],
    [[['starts-with', '$key', 'a/']], { key: 'b/a/' }, 'failed'],
    [[['starts-with', '$Content-Type', 'text/']], { 'content-type': 'text/a, image/b' }, 'failed'],
    [
      [['starts-with', '$content-type', '']],
      { 'content-type': ','.repeat(1_025) },
      'Policy Condition failed: ["starts-with","$content-type",""]',
    ],
    [[['eq', '$acl', 'private']], {}, 'failed'],
    [[], { key: 'a' }, 'Extra input fields: key'],
    [[], { 'x-amz-date': 'now' }, 'Extra input fields: x-amz-date'],
    [[['content-length-range', 6, 7]], {}, 'smaller than the minimum'],
    [[['content-length-range', 0, 4]], {}, 'exceeds the maximum'],
  ] as [unknown[], Record<string, string>, string][])(
    'that does not meet %j is refused',
    (conditions, fields, text) => {
      expect(() => judge(conditions, fields)).toThrow(text);
    },
  );

  it('needs a condition on its bucket', () => {
    const policy = parsePostPolicy(encoded({ expiration, conditions: [] }));
    const form = { bucket: 'b', key: '', fields: new Map<string, string>(), lengthBytes: 0 };
    expect(() => requirePolicy(policy, form, 0)).toThrow('Extra input fields: bucket');
  });
});
