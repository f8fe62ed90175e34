import { conditionalRows } from '../../support/http-caching/condition-rows.ts';
import { testRows } from '../../support/http-caching/test-rows.ts';
import { validatedRows, validationRows } from '../../support/http-caching/validation-rows.ts';

testRows([...validationRows, ...conditionalRows, ...validatedRows]);
