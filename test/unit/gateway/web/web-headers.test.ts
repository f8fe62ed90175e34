import { expect, it } from 'vitest';
import { AnswerRules } from '../../../../src/gateway/request/answer-rules.ts';
import { headersOfStored } from '../../../../src/gateway/web/web-headers.ts';
import { TextContent } from '../../../support/object-server-bench.ts';
import { recordOf } from '../../../support/records.ts';
import { defaultPolicy } from '../../../support/worker-gateway.ts';

it('headers are prepared once, and anew where a reload has brought other rules', () => {
  const record = recordOf(new TextContent('held'));
  const rules = () => ({ cache: defaultPolicy, answers: new AnswerRules(undefined, undefined) });
  const [before, after] = [rules(), rules()];
  const prepared = headersOfStored(record, before);
  expect(headersOfStored(record, before)).toBe(prepared);
  expect(headersOfStored(record, after)).not.toBe(prepared);
  expect(headersOfStored({ ...record }, after), 'of a copy').not.toBe(headersOfStored(record, after));
});
