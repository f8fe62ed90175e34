import { expect, it } from 'vitest';
import { libraryRoutes, pageLibraries } from '../../../src/admin/page-libraries.ts';

it.each(Object.keys(pageLibraries) as (keyof typeof pageLibraries)[])('serves %s', name => {
  expect(libraryRoutes('/library', name)).toMatchObject([{ method: 'GET', path: '/library', open: true }]);
});

it('has no route for a library that is not installed, so that the gateway starts without it', () => {
  expect(libraryRoutes('/library', 'status/page/uplot.js', () => undefined)).toEqual([]);
});
