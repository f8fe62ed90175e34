import { fieldRows } from '../../support/http-caching/field-rows.ts';
import { requestDirectiveRows } from '../../support/http-caching/request-directive-rows.ts';
import { responseDirectiveRows } from '../../support/http-caching/response-directive-rows.ts';
import { testRows } from '../../support/http-caching/test-rows.ts';

testRows([...fieldRows, ...requestDirectiveRows, ...responseDirectiveRows]);
