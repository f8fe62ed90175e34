import type { Account } from '../../src/embedded-store/access/caller.ts';
import { type Question, signedQuestion } from '../support/conformance/question.ts';
import { type RawReply, rawRequest } from '../support/raw-request.ts';
import type { NamedQuestion } from './read-questions.ts';

/** Headers that are not compared, with the reason. */
const ofOneAnswer: ReadonlyMap<string, string> = new Map([
  ['connection', 'of the connection'],
  ['keep-alive', 'of the connection'],
  ['transfer-encoding', 'of the connection'],
  ['date', 'when it was given'],
  ['server', 'who gave it: the gateway does not say'],
  ['strict-transport-security', "of the store's host (src/http/host-fields.ts): MinIO"],
  ['x-amz-request-id', 'which answer it is'],
  ['x-amz-id-2', 'which answer it is, and from which host'],
  ['x-ratelimit-limit', 'what the asker may do at that moment'],
  ['x-ratelimit-remaining', 'what the asker may do at that moment'],
  ['age', 'of the cache (README.md, How it behaves)'],
  ['cache-status', 'of the cache (README.md, How it behaves)'],
  ['x-cache', 'of the cache (README.md, How it behaves)'],
]);

/** Where the specification wants another answer than some store gives: its status, by what the question is called. */
const decided: readonly (readonly [name: RegExp, status: number, row: string])[] = [
  [/bytes=5-3$/, 200, '12: MinIO 416'],
  [/empty bytes=-5$/, 200, '25: MinIO 206'],
  [/empty part 1(, checksums)?$/, 200, '47: MinIO 206'],
  [/parts\.bin part x?$/, 400, '44: MinIO 500, and 200 for an empty number'],
  [/plain\.txt if-match: "0{4}", /, 200, '64: both compare whole texts'],
  [/plain\.txt if-none-match: "0{4}", /, 304, '65: both compare whole texts'],
  [
    /plain\.txt if-modified-since: (?!Sat, 01 Jan 2000)[^,]+, [^,]+$/,
    304,
    '70: versitygw compares parts of seconds',
  ],
  [
    /plain\.txt if-unmodified-since: (?!Sat, 01 Jan 2000)[^,]+, [^,]+$/,
    200,
    '71: versitygw compares parts of seconds',
  ],
  [/tomorrow$/, 200, '79: MinIO 304'],
  [/if-match: "0{4}",if-none-match/, 412, '74: MinIO 304'],
  [/if-unmodified-since: .*,if-none-match/, 412, '75: MinIO 304'],
  [/if-none-match: "0{4}",if-modified-since/, 200, '77: MinIO 304'],
  [/if-range: "0{4}"$/, 200, 'Decided 4: both 206'],
  [/an empty version$/, 400, '100: both 200'],
];

/** Headers in which an answer differs where it is otherwise the same. */
const differing: readonly (readonly [
  applies: (question: NamedQuestion, status: number) => boolean,
  names: RegExp,
])[] = [
  // Decided 1: overrides are for a 200
  [({ name }) => name.endsWith('overrides and range'), /^(content-(?!range|length)|cache-control|expires)/],
  // 138: an empty one does nothing; MinIO sends an empty header
  [({ name }) => name.endsWith('an empty override'), /^content-type$/],
  // 5 to 7: a range of all bytes has the checksums of all; MinIO sends none
  [({ name }) => /bytes=0-9?, checksums$/.test(name), /^x-amz-checksum-/],
  // Decided 16: on every 200 and 206; MinIO sends it with errors too
  [(_, status) => status >= 400, /^accept-ranges$/],
  // 102: a HEAD is told of a delete marker; versitygw tells a GET alone
  [
    ({ method, name }, status) => method === 'HEAD' && status === 404 && name.includes('gone.txt'),
    /^(x-amz-delete-marker|last-modified)$/,
  ],
  // what a GET told is told to a HEAD, without what MinIO adds to the error of a HEAD in place of a body
  [({ method }, status) => method === 'HEAD' && status >= 400, /^(content-type|x-minio-error-(code|desc))$/],
];

/** Statuses of answers that the gateway makes itself: of the store's, only the code is the same (Decided 6 and 11; 85, 91). */
const ofTheGateway: ReadonlySet<number> = new Set([304, 400, 412, 416]);

/** Codes that differ: MinIO has one of its own for the part 0 (43). */
const ownCodes: ReadonlySet<string | undefined> = new Set(['XMinioAdminInvalidArgument']);

/** Puts `question` to whoever listens at `origin`, signed by `as`. */
export function answerFrom(origin: string, question: Question, as: Account): Promise<RawReply> {
  return rawRequest(
    origin,
    signedQuestion({ as, ...question }, { origin, prefix: 'x-amz-', nowMs: Date.now() }),
  );
}

/** How the gateway's answer differs from the store's own in what nobody named; empty when it does not. */
export function unnamedDifferences(
  question: NamedQuestion,
  direct: RawReply,
  got: RawReply,
): readonly string[] {
  if (direct.status !== got.status) {
    const named = decided.some(([name, status]) => name.test(question.name) && status === got.status);
    return named ? [] : [`status ${got.status} for ${direct.status}`];
  }
  if (ofTheGateway.has(got.status)) return differentCode(direct, got);
  const names = new Set([...Object.keys(direct.headers), ...Object.keys(got.headers)]);
  const headers = [...names].filter(name => isCompared(name, question, got.status));
  return [
    ...headers
      .filter(name => direct.headers[name] !== got.headers[name])
      .map(name => differentHeader(name, direct, got)),
    ...differentBody(direct, got),
  ];
}

function isCompared(name: string, question: NamedQuestion, status: number): boolean {
  if (ofOneAnswer.has(name)) return false;
  // error bodies differ in the length of their ids
  if (status >= 400 && name === 'content-length') return false;
  return !differing.some(([applies, names]) => applies(question, status) && names.test(name));
}

function differentHeader(name: string, direct: RawReply, got: RawReply): string {
  return `${name} ${got.headers[name]} for ${direct.headers[name]}`;
}

function differentCode(direct: RawReply, got: RawReply): readonly string[] {
  const [theirs, ours] = [errorIn(direct).Code, errorIn(got).Code];
  return theirs === ours || ownCodes.has(theirs) ? [] : [`code ${ours} for ${theirs}`];
}

function differentBody(direct: RawReply, got: RawReply): readonly string[] {
  if (got.status < 400) return direct.body.equals(got.body) ? [] : ['other bytes'];
  const [theirs, ours] = [errorIn(direct), errorIn(got)].map(error => JSON.stringify(error));
  return theirs === ours ? [] : [`${ours} for ${theirs}`];
}

/** Elements of errors that differ from answer to answer, and the one that the gateway never sends (Decided 11). */
const ofOneError: ReadonlySet<string | undefined> = new Set(['RequestId', 'HostId', 'Resource']);

function errorIn({ text }: RawReply): Readonly<Record<string, string>> {
  const elements = [...text.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  return Object.fromEntries(elements.filter(([name]) => !ofOneError.has(name)));
}
