import { authorizationRows } from '../../support/http-caching/authorization-rows.ts';
import { partRows } from '../../support/http-caching/part-rows.ts';
import { storingRows } from '../../support/http-caching/storing-rows.ts';
import { testRows } from '../../support/http-caching/test-rows.ts';

testRows([...storingRows, ...partRows, ...authorizationRows]);
