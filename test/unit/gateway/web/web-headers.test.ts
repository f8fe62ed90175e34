import { expect, it } from 'vitest';
import { AnswerRules } from '../../../../src/gateway/request/answer-rules.ts';
import { WebHeaders } from '../../../../src/gateway/web/web-headers.ts';
import { TextContent } from '../../../support/object-server-bench.ts';
import { recordOf } from '../../../support/records.ts';
import { defaultPolicy } from '../../../support/worker-gateway.ts';

it('headers are prepared once, and anew where a reload has brought other rules', () => {
  const headers = new WebHeaders();
  const record = recordOf(new TextContent('held'));
  const rules = () => ({ cache: defaultPolicy, answers: new AnswerRules(undefined, undefined) });
  const [before, after] = [rules(), rules()];
  const prepared = headers.of(record, before);
  expect(headers.of(record, before)).toBe(prepared);
  expect(headers.of(record, after)).not.toBe(prepared);
});
