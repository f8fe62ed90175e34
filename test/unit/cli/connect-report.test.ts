import { describe, expect, it } from 'vitest';
import type { ProbeResult } from '../../../src/backend/probe-store.ts';
import { connectReport } from '../../../src/cli/connect-report.ts';
import { parseConfig } from '../../../src/config/load-config.ts';

const open = 'box: { backend: main, access: verify }';
const restricted = 'box: { backend: main, access: verify, keyPrefix: a/ }';

/** The report on the store `main`, whose probes gave `results`. */
function report(results: readonly ProbeResult[], keys = '', buckets = open) {
  const yaml = `
backends: { main: { type: s3, endpoint: "http://store:9000"${keys && `, keys: ${keys}`} } }
buckets: { ${buckets} }`;
  return connectReport(parseConfig(yaml, {}, 'test', false), {
    backends: new Map([['main', results]]),
    queue: [],
  });
}

const exact: ProbeResult = { kind: 'exact', key: 'a/b' };
const path: ProbeResult = { kind: 'path', key: 'a/b', alias: './a/b' };
const unknown: ProbeResult = { kind: 'unknown', why: 'there is no object in box' };
const unreachable: ProbeResult = {
  kind: 'unreachable',
  cause: 'ECONNREFUSED',
  why: 'connect ECONNREFUSED 127.0.0.1:9000',
};
const refused = (different: Partial<Extract<ProbeResult, { kind: 'refused' }>> = {}): ProbeResult => ({
  ...{ kind: 'refused', bucket: 'box', asked: 'a listing', status: 403, code: 'AccessDenied' },
  ...different,
});

const reachable = 'backends.main at http://store:9000 is reachable';
const isExact = 'backends.main is exact: it knows "a/b" under no other spelling';
const isPath = 'backends.main is path: it treats "./a/b" as "a/b", or refuses it';

describe('how a store distinguishes keys, beside what the file says', () => {
  it.each([
    ['exact', '', open, 0, isExact],
    ['exact', 'exact', open, 0, `${isExact}, as configured`],
    ['exact', 'exact', restricted, 0, `${isExact}, as configured`],
    ['exact', 'path', restricted, 0, `${isExact}; but keys is set to path, so some valid keys are refused`],
    ['exact', '', restricted, 2, `${isExact}; buckets.box.keyPrefix restricts keys: write keys: exact`],
    ['path', '', open, 0, isPath],
    ['path', 'path', open, 0, `${isPath}, as configured`],
    [
      ...(['path', 'exact', open, 2] as const),
      `${isPath}; but keys is set to exact, so patterns and key prefixes can be bypassed: write path`,
    ],
    ['path', '', restricted, 2, `${isPath}; buckets.box.keyPrefix restricts keys: write keys: path`],
  ] as const)('%s, configured %j, { %s }: exit code %i', (kind, keys, buckets, exitCode, line) => {
    const results = [kind === 'exact' ? exact : path];
    expect(report(results, keys, buckets)).toEqual({ exitCode, lines: [reachable, line] });
  });

  it.each([
    ['nothing restricts keys', open, 0],
    ['something restricts keys', restricted, 2],
  ] as const)(
    'that cannot be told where it has no object; %s: exit code %3$i',
    (_case, buckets, exitCode) => {
      const { lines, ...rest } = report([unknown], '', buckets);
      expect(rest).toEqual({ exitCode });
      expect(lines).toEqual([
        reachable,
        expect.stringMatching(
          /^backends\.main answers; whether it is exact or path cannot be determined, since there is no object in box: put an object "a\/b" there/,
        ),
      ]);
    },
  );

  it.each([
    [
      [unknown, exact, unknown],
      [reachable, isExact],
    ],
    [
      [unreachable, unknown, path],
      [reachable, isPath],
    ],
  ] as const)('is told by the one bucket where it can be seen', (results, lines) => {
    expect(report(results).lines).toEqual(lines);
  });
});

describe('the question of the circuit breaker', () => {
  const asked = 'HEAD of the bucket "box"';
  const said = 'the question of its circuit breaker, HEAD of the bucket "box"';
  it.each([
    ['200', true, 0, `answers ${said}, with 200`],
    ['404', true, 0, `answers ${said}, with 404`],
    ['503', false, 1, `does not answer ${said}: it says 503. Once open, the breaker`],
    [
      ...(['FIRST_BYTE_TIMEOUT', false, 1] as const),
      `does not answer ${said}: it does not answer in time (FIRST_BYTE_TIMEOUT). Once open`,
    ],
  ] as const)('%s: it is alive: %s', (how, isAlive, exitCode, line) => {
    const { lines, ...rest } = report([{ kind: 'questioned', asked, isAlive, how }, exact]);
    expect(rest).toEqual({ exitCode });
    expect(lines).toEqual([reachable, expect.stringContaining(`backends.main ${line}`), isExact]);
  });
});

describe('a store that cannot be used', () => {
  it('is not called reachable when no request was answered', () => {
    expect(report([unreachable, unreachable])).toEqual({
      exitCode: 1,
      lines: [
        'backends.main cannot be reached: nothing listens there (ECONNREFUSED; connect ECONNREFUSED 127.0.0.1:9000)',
      ],
    });
  });

  it('that answered once and then no more is said to be both', () => {
    const { exitCode, lines } = report([unknown, unreachable]);
    expect(exitCode).toBe(1);
    expect(lines).toEqual([reachable, expect.stringContaining('main cannot be reached')]);
  });

  it('nothing is said of one that was not asked', () => {
    expect(report([])).toEqual({ exitCode: 0, lines: [] });
    const config = parseConfig('backends: { main: { type: s3, endpoint: "http://store:9000" } }', {});
    expect(connectReport(config, { backends: new Map(), queue: [] })).toEqual({ exitCode: 0, lines: [] });
  });

  it('names each request that was refused, beside what was found out', () => {
    const { exitCode, lines } = report(
      [exact, refused(), refused({ bucket: 'cellar', status: 500 })],
      'exact',
    );
    expect(exitCode).toBe(1);
    expect(lines).toEqual([
      reachable,
      `${isExact}, as configured`,
      expect.stringMatching(
        /^backends\.main at http:\/\/store:9000 answers 403 AccessDenied to a listing of the bucket "box": let /,
      ),
      expect.stringMatching(/answers 500 AccessDenied to a listing of the bucket "cellar": it is in trouble/),
    ]);
  });

  it('a wrong file outweighs a store that refuses', () => {
    expect(report([path, refused()], 'exact').exitCode).toBe(2);
  });
});

describe('what to do about a refusal', () => {
  const region = 'correct backends.main.region and backends.main.endpoint: the bucket is in another region';
  const credentials = 'correct backends.main.credentials:';
  const clocks = 'the clocks of this machine and of the store differ: set them';
  const later = 'it limits requests at the moment: ask again later';
  const trouble =
    'it is in trouble itself, or what stands before it is: see its own state and logs, and ask again later';
  const settings = 'see endpoint, region, addressing and credentials of backends.main';
  const create = 'create it, or name the one that is meant in buckets.box.bucket';
  const noStore =
    'what answers is no store of this protocol, or not at this address (404 without an error code): correct backends.main.endpoint';
  it.each([
    [404, 'NoSuchBucket', create],
    [404, undefined, noStore],
    [404, 'NoSuchKey', settings],
    [403, 'ExpiredToken', `${credentials} the session token has expired`],
    [403, 'InvalidAccessKeyId', `${credentials} it does not know the access key`],
    [400, 'InvalidToken', `${credentials} it does not take the session token`],
    [403, 'SignatureDoesNotMatch', `${credentials} the signature is refused`],
    [403, 'RequestTimeTooSkewed', clocks],
    [400, 'AuthorizationHeaderMalformed', region],
    [301, 'PermanentRedirect', region],
    [301, undefined, region],
    [429, undefined, later],
    [503, 'SlowDown', later],
    [503, undefined, trouble],
    [500, 'InternalError', trouble],
    [501, 'NotImplemented', settings],
    [400, 'InvalidRequest', settings],
  ])('%i %s: %s', (status, code, advice) => {
    const reply = `${status}${code === undefined ? '' : ` ${code}`}`;
    const said = code === undefined ? `status ${status}` : reply;
    expect(report([refused({ status, code })])).toEqual({
      exitCode: 1,
      lines: [
        reachable,
        `backends.main at http://store:9000 answers ${said} to a listing of the bucket "box": ${advice}`,
      ],
    });
  });

  it.each([
    [400, 'AuthorizationHeaderMalformed', 'correct backends.main.region: the store expects eu-west-1'],
    [301, 'PermanentRedirect', region.replace('another region', 'eu-west-1')],
    [301, undefined, region.replace('another region', 'eu-west-1')],
  ])('%i %s that names the region: %s', (status, code, advice) => {
    const [, line] = report([refused({ status, code, region: 'eu-west-1' })]).lines;
    expect(line?.split(': ').slice(1).join(': ')).toBe(advice);
  });

  it.each(['AccessDenied', undefined])('403 %s: it may be the grants at the store', code => {
    const [, line] = report([refused({ code })]).lines;
    expect(line).toContain(
      ': let backends.main.credentials list and read it. Otherwise it cannot be determined',
    );
  });

  it('404 to a HEAD tells no code at a store either', () => {
    const head = refused({ asked: 'HEAD of "a/b"', status: 404, code: undefined, isHead: true });
    expect(report([head]).lines.at(-1)).toContain(settings);
  });

  it('no bucket has to be created when none was asked for', () => {
    const buckets = refused({ bucket: undefined, asked: 'a list of buckets', status: 404, code: undefined });
    expect(report([buckets]).lines.at(-1)).toBe(
      `backends.main at http://store:9000 answers status 404 to a list of buckets: ${noStore}`,
    );
  });

  it('the bucket is named as the file calls it, where several backends have one of that name', () => {
    const config = parseConfig(
      `
backends: { other: { type: s3, endpoint: "http://o" }, main: { type: s3, endpoint: "http://store:9000" } }
buckets:
  first: { backend: other, bucket: shared, access: verify }
  second: { backend: main, bucket: another, access: verify }
  third: { backend: main, bucket: shared, access: verify }`,
      {},
    );
    const missing = refused({ bucket: 'shared', status: 404, code: 'NoSuchBucket' });
    const { lines } = connectReport(config, { backends: new Map([['main', [missing]]]), queue: [] });
    expect(lines.at(-1)).toContain('the one that is meant in buckets.third.bucket');
  });
});

it('an embedded store needs no question', () => {
  const config = parseConfig('backends: { demo: { type: embedded, directory: ./data } }', {});
  expect(connectReport(config, { backends: new Map(), queue: [] })).toEqual({
    exitCode: 0,
    lines: ['backends.demo is the embedded store, which is exact'],
  });
});
