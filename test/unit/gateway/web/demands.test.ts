import { describe, expect, it } from 'vitest';
import type { StoredAnswer } from '../../../../src/cache/record.ts';
import { isDemanding, meetsDemands, ownConditions } from '../../../../src/gateway/web/demands.ts';
import { kindOf, mayTakeWhole } from '../../../../src/gateway/web/shared-questions.ts';
import { noFields } from '../../../../src/gateway/web/web-read.ts';
import { TextContent } from '../../../support/object-server-bench.ts';
import { recordOf } from '../../../support/records.ts';

const modifiedMs = Date.UTC(2026, 0, 2);
const nowMs = Date.UTC(2026, 0, 3);
const [earlier, later] = [modifiedMs - 1_000, modifiedMs + 1_000].map(ms => new Date(ms).toUTCString());
const content = { ...recordOf(new TextContent('hello')), lastModifiedMs: modifiedMs };
const answered = (status: number) => ({ ...content, answer: { status } as StoredAnswer });
const meets = (status: number, fields: object) =>
  meetsDemands(answered(status), { fields: { ...noFields, ...fields }, nowMs });

describe('what is stored meets the demands of a client', () => {
  it('that has none, whatever it is', () => {
    expect(meets(200, {})).toBe(true);
    expect(meets(200, { ifNoneMatch: '"t"', ifModifiedSince: later })).toBe(true);
    expect(meetsDemands(content, { fields: noFields, nowMs })).toBe(true);
  });

  it.each([200, 203, 206])('where its tag or date is the one that is demanded (%i)', status => {
    expect([meets(status, { ifMatch: '"t"' }), meets(status, { ifMatch: '"u"' })]).toEqual([true, false]);
    const since = (ifUnmodifiedSince: string | undefined) => meets(status, { ifUnmodifiedSince });
    expect([since(later), since(earlier)]).toEqual([true, false]);
  });

  it('where it is of no status: then it is a content', () => {
    const demanding = (ifMatch: string) => meetsDemands(content, { fields: { ...noFields, ifMatch }, nowMs });
    expect([demanding('"t"'), demanding('"u"')]).toEqual([true, false]);
  });

  it.each([301, 404])('of which a %i is not judged', status => {
    expect(meets(status, { ifMatch: '"u"' })).toBe(true);
  });

  it('also where it would be answered with 304', () => {
    expect(meets(200, { ifMatch: '"t"', ifNoneMatch: '"t"' })).toBe(true);
  });
});

it('once an answer is chosen, the other conditions alone are judged here', () => {
  const others = { ...noFields, ifNoneMatch: '"u"', ifModifiedSince: later, isConditional: true };
  expect(ownConditions(others)).toBe(others);
  for (const demand of [{ ifMatch: '"u"' }, { ifUnmodifiedSince: earlier }]) {
    expect(isDemanding({ ...others, ...demand })).toBe(true);
    expect(ownConditions({ ...others, ...demand })).toEqual(others);
  }
});

it('who demands something takes no answer to another question, and shares none', () => {
  const kind = (fields: object) =>
    kindOf(
      { method: 'GET', fields: { ...noFields, ...fields }, directives: undefined, isPersonal: false },
      undefined,
    );
  expect([kind({}), kind({ range: 'bytes=0-1' })]).toEqual(['whole', 'range']);
  expect([kind({ ifMatch: '"u"' }), kind({ ifUnmodifiedSince: earlier })]).toEqual([undefined, undefined]);
  const takes = (method: string, fields: object) =>
    mayTakeWhole({ method, fields: { ...noFields, ...fields } });
  expect([takes('HEAD', {}), takes('GET', { isConditional: true }), takes('GET', {})]).toEqual([
    ...[true, true, false],
  ]);
  for (const demand of [{ ifMatch: '"u"' }, { ifUnmodifiedSince: earlier }]) {
    expect(takes('HEAD', demand)).toBe(false);
    expect(takes('GET', { ...demand, isConditional: true })).toBe(false);
  }
});
