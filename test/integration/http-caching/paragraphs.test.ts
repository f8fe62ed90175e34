import { expect, it } from 'vitest';
import { authorizationRows } from '../../support/http-caching/authorization-rows.ts';
import { conditionalRows } from '../../support/http-caching/condition-rows.ts';
import { fieldRows } from '../../support/http-caching/field-rows.ts';
import { freshnessRows } from '../../support/http-caching/freshness-rows.ts';
import { invalidationRows } from '../../support/http-caching/invalidation-rows.ts';
import { partRows } from '../../support/http-caching/part-rows.ts';
import { requestDirectiveRows } from '../../support/http-caching/request-directive-rows.ts';
import { notOfRows, paragraphs } from '../../support/http-caching/requirements.ts';
import { responseDirectiveRows } from '../../support/http-caching/response-directive-rows.ts';
import { reuseRows } from '../../support/http-caching/reuse-rows.ts';
import { storingRows } from '../../support/http-caching/storing-rows.ts';
import { validatedRows, validationRows } from '../../support/http-caching/validation-rows.ts';
import { varyRows } from '../../support/http-caching/vary-rows.ts';

const rows = [
  ...[...storingRows, ...partRows, ...authorizationRows],
  ...[...reuseRows, ...varyRows, ...freshnessRows, ...validationRows, ...conditionalRows, ...validatedRows],
  ...[...invalidationRows, ...fieldRows, ...requestDirectiveRows, ...responseDirectiveRows],
];

it('each section of RFC 9111 that concerns a shared cache has a row, and each row is of one', () => {
  const shown = new Set(rows.map(({ paragraph }) => paragraph));
  expect([...shown].sort()).toEqual([...paragraphs].sort());
});

it('each row has a name of its own with each backend', () => {
  for (const kind of ['stores', 'web origins']) {
    const names = rows
      .filter(({ at }) => at === 'all' || at === kind)
      .map(({ paragraph, says }) => `${paragraph} ${says}`);
    expect(names).toHaveLength(new Set(names).size);
  }
});

it('what no row is about says why', () => {
  for (const { paragraph, must, why } of notOfRows) {
    expect(paragraph).toMatch(/^\d(\.\d+)*$/);
    expect(Math.min(must.length, why.length)).toBeGreaterThan(10);
  }
});
