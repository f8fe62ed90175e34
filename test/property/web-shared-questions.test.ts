import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ModelAnswer, type ModelReader, type ModelRequest, WebModel } from '../support/web-model.ts';

/** What tells a reader from others, and how the origin answers it. */
type Kind =
  | ('plain' | 'cookie' | 'authorized' | 'tag' | 'date' | 'head' | 'range' | 'no-cache' | 'slow')
  | ('hangs' | '403' | '404' | '503' | '302' | 'private');

interface Arrival {
  readonly kind: Kind;
  readonly afterMs: number;
  readonly language: number;
  /** When it leaves, if it does. */
  readonly leavesMs: number | undefined;
}

interface Scenario {
  /** What the page says: that it is for all, nothing, or that each reader has its own. */
  readonly page: 'all' | 'nothing' | 'private';
  readonly tag: 'strong' | 'weak' | 'none';
  readonly isDated: boolean;
  readonly varies: boolean;
  readonly headMs: number;
  readonly bodyMs: number;
  readonly isDown: boolean;
  readonly readers: readonly Arrival[];
  readonly changes: readonly { readonly kind: 'purge' | 'POST' | 'publish'; readonly afterMs: number }[];
}

const arrival = fc.record({
  kind: fc.constantFrom<Kind>(
    ...(['plain', 'plain', 'plain', 'cookie', 'cookie', 'authorized', 'tag', 'date', 'head'] as const),
    ...(['range', 'no-cache', 'slow', 'hangs', '403', '404', '503', '302', 'private'] as const),
  ),
  afterMs: fc.constantFrom(0, 0, 0, 50, 200, 1_000, 2_500),
  language: fc.nat(2),
  leavesMs: fc.constantFrom(undefined, undefined, undefined, 300, 2_000),
});

const scenario: fc.Arbitrary<Scenario> = fc.record({
  page: fc.constantFrom('all', 'all', 'nothing', 'private'),
  tag: fc.constantFrom('strong', 'weak', 'none'),
  isDated: fc.boolean(),
  varies: fc.boolean(),
  headMs: fc.constantFrom(50, 300, 700),
  bodyMs: fc.constantFrom(0, 300),
  isDown: fc.constantFrom(false, false, false, true),
  readers: fc.array(arrival, { minLength: 2, maxLength: 30 }),
  changes: fc.array(
    fc.record({
      kind: fc.constantFrom('purge', 'POST', 'publish'),
      afterMs: fc.constantFrom(150, 400, 900, 2_600),
    }),
    { maxLength: 2 },
  ),
});

/** Before the first answer; those of this origin take less than half of it, but for slow ones. */
const PATIENCE_MS = 2_000;
const LONG_PATIENCE_MS = 5_000;
const SLOW_MS = 3_500;

/** Longer than anybody waits. */
const RUN_MS = 32_000;

const strangers: ReadonlySet<Kind> = new Set(['hangs', '403', '404', '503', '302', 'private', 'slow']);

function requestOf({ kind, language }: Arrival, number: number): ModelRequest {
  const fields: Record<string, string> = {
    'user-agent': `${kind} ${number}`,
    'accept-language': `l${language}`,
  };
  if (kind === 'cookie') fields.cookie = `user=${number}`;
  if (kind === 'authorized') fields.authorization = `Bearer ${number}`;
  if (kind === 'tag') fields['if-none-match'] = '"v0"';
  if (kind === 'date') fields['if-modified-since'] = new Date(0).toUTCString();
  if (kind === 'no-cache') fields['cache-control'] = 'no-cache';
  // one client, whose requests are all alike
  if (kind === 'hangs') fields['user-agent'] = 'hangs';
  if (kind === 'range' || (kind === 'hangs' && language === 0)) fields.range = 'bytes=0-';
  return { method: kind === 'head' ? 'HEAD' : 'GET', fields, quota: kind === 'hangs' ? 'h' : `a${number}` };
}

interface Read {
  readonly arrival: Arrival;
  readonly request: ModelRequest;
  readonly reader: ModelReader;
  /** What the origin had when it came. */
  readonly version: number;
}

async function played({ readers, changes, ...page }: Scenario) {
  let version = 0;
  const model = new WebModel((method, sent): ModelAnswer => {
    const kind = (sent['user-agent'] ?? '').split(' ')[0] as Kind;
    const { headMs, bodyMs } = page;
    const fields: Record<string, string> = { 'x-version': String(version), 'x-user': sent.cookie ?? '' };
    if (page.varies)
      Object.assign(fields, { vary: 'accept-language', 'x-language': sent['accept-language'] ?? '' });
    if (page.page !== 'nothing') fields['cache-control'] = page.page === 'all' ? 'max-age=60' : 'private';
    if (page.page === 'all') fields['x-user'] = '';
    if (kind === 'private')
      Object.assign(fields, { 'cache-control': 'private', 'x-user': sent['user-agent'] });
    if (page.tag !== 'none')
      fields.etag = `${page.tag === 'weak' ? 'W/' : ''}"v${version} ${sent.cookie ?? ''}"`;
    if (page.isDated) fields.date = new Date(model.clock.nowMs()).toUTCString();
    const status = page.isDown
      ? 503
      : { hangs: undefined, '403': 403, '404': 404, '503': 503, '302': 302 }[kind as '403'];
    const isOfPage = status === undefined && kind !== 'hangs' && !page.isDown;
    const isPart = isOfPage && sent.range !== undefined && method === 'GET';
    if (isPart) fields['content-range'] = 'bytes 0-3/4';
    return {
      status: isPart ? 206 : isOfPage ? 200 : status,
      fields: isOfPage ? fields : {},
      body: method === 'POST' ? '' : 'page',
      headMs: kind === 'slow' ? SLOW_MS : headMs,
      bodyMs,
    };
  });
  const { clock, origin } = model;
  const reads: Read[] = [];
  for (const [number, arriving] of readers.entries())
    clock.after(arriving.afterMs, () => {
      const request = requestOf(arriving, number);
      const reader = model.read(request);
      reads.push({ arrival: arriving, request, reader, version });
      if (arriving.leavesMs !== undefined) clock.after(arriving.leavesMs, () => reader.leave());
    });
  for (const { kind, afterMs } of changes)
    clock.after(afterMs, () => {
      version++;
      if (kind === 'purge') model.purge();
      // what a POST has changed is seen by those who ask after its answer
      if (kind === 'POST') model.read({ method: 'POST', fields: { 'user-agent': 'poster' }, quota: 'p' });
    });
  let most = 0;
  for (let ms = 0; ms < RUN_MS; ms += 50) {
    await model.pass(50);
    const open = origin.open.filter(({ method, fields }) => method !== 'POST' && isOfAll(page, fields));
    most = Math.max(most, open.length);
  }
  const asked = origin.questions.filter(({ method }) => method !== 'POST');
  return { reads, asked, most, open: origin.open.length };
}

/** Whether the answer to such fields may be for all: the others may all be asked for at once. */
function isOfAll(
  { page, tag }: Pick<Scenario, 'page' | 'tag'>,
  { authorization, range }: Readonly<Record<string, string>>,
): boolean {
  return page === 'all' && authorization === undefined && (range === undefined || tag === 'strong');
}

const said = ({ reader }: Read, name: string) =>
  reader.result?.fields.find(field => field.name === name)?.value;

/** Whoever has not left is answered, and no later than its own question would have been, after its patience. */
function checkWaits({ headMs, bodyMs, readers }: Scenario, reads: readonly Read[]): void {
  const isSlow = readers.some(({ kind }) => kind === 'slow');
  // sharing questions, then twice beside one that hangs; patience is as long as the last answer has needed
  const longestMs = isSlow ? SLOW_MS + 3 * LONG_PATIENCE_MS : 3 * PATIENCE_MS;
  for (const {
    arrival: { kind, leavesMs },
    reader,
  } of reads) {
    if (leavesMs !== undefined) continue;
    const waitedMs = (reader.result?.atMs ?? Number.POSITIVE_INFINITY) - reader.askedMs;
    const ownMs = kind === 'hangs' ? 10_000 : headMs + bodyMs + (kind === 'slow' ? SLOW_MS : 0);
    expect(waitedMs, `${kind} waits`).toBeLessThanOrEqual(longestMs + 3 * ownMs);
  }
}

/** What a reader gets is its variant, its own or for all, no older than what was changed before it came, and no error of another. */
function checkAnswers({ varies, changes, isDown }: Scenario, reads: readonly Read[]): void {
  let latestHit = -1;
  const isPublished = changes.some(({ kind }) => kind !== 'purge');
  for (const read of [...reads].sort((one, other) => at(one) - at(other))) {
    const { result } = read.reader;
    const version = said(read, 'x-version');
    const status = result?.status ?? 200;
    if (!isDown) expect(['200', '206', '304', read.arrival.kind]).toContain(String(status));
    if (!result || version === undefined) continue;
    if (varies) expect(said(read, 'x-language')).toBe(read.request.fields['accept-language']);
    expect(['', read.request.fields.cookie, read.request.fields['user-agent']]).toContain(
      said(read, 'x-user'),
    );
    if (!isPublished) expect(Number(version)).toBeGreaterThanOrEqual(read.version);
    if (varies || result.outcome?.how !== 'hit') continue;
    expect(Number(version)).toBeGreaterThanOrEqual(latestHit);
    latestHit = Number(version);
  }
}

const at = ({ reader }: Read) => reader.result?.atMs ?? Number.POSITIVE_INFINITY;

/** Who is told that it was asked for was asked for, and who is told that it has waited for another was not. */
function checkReports(reads: readonly Read[], asked: Awaited<ReturnType<typeof played>>['asked']): void {
  for (const {
    arrival: { kind },
    request,
    reader,
  } of reads) {
    const told = reader.result?.report.cacheStatus ?? '';
    expect(told).not.toContain('bypass');
    if (kind === 'hangs' || reader.result === undefined) continue;
    const isAsked = asked.some(({ fields }) => fields['user-agent'] === request.fields['user-agent']);
    if (told.includes('fwd=') && !told.includes('collapsed')) expect(isAsked, told).toBe(true);
    if (told.includes('hit')) expect(reader.result.outcome?.how, told).toBe('hit');
  }
}

describe('readers of one page at the same time', () => {
  it('share questions by the laws of docs/caching.md, whoever they are and whatever comes between', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async given => {
        const { reads, asked, most, open } = await played(given);
        checkWaits(given, reads);
        checkAnswers(given, reads);
        checkReports(reads, asked);
        expect(open).toBe(0);
        const variants = given.varies ? 3 : 1;
        const odd = given.readers.filter(({ kind }) => strangers.has(kind)).length;
        // each may ask once, and for all there is one for each kind, and those beside
        const extra = variants * (4 + given.changes.length);
        expect(asked.length).toBeLessThanOrEqual(given.readers.length + extra);
        expect(most).toBeLessThanOrEqual(8 + variants * 4 + odd);
      }),
      { numRuns: Number(process.env.WEB_RUNS ?? 200), endOnFailure: false },
    );
  }, 60_000);
});
