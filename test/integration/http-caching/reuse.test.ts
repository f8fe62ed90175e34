import { invalidationRows } from '../../support/http-caching/invalidation-rows.ts';
import { reuseRows } from '../../support/http-caching/reuse-rows.ts';
import { testRows } from '../../support/http-caching/test-rows.ts';
import { varyRows } from '../../support/http-caching/vary-rows.ts';

testRows([...reuseRows, ...varyRows, ...invalidationRows]);
