import { expect, it } from 'vitest';
import { nameWebhooks, WebhookOptionsError } from '../../../../src/alerts/delivery/webhook-options.ts';
import { sampleWebhook } from '../../../support/delivery-bench.ts';

it('names webhooks by their place, and remembers channels by a digest that does not tell the URL', () => {
  const [first, second] = nameWebhooks([
    sampleWebhook({ url: 'https://chat.test/hook/alpha' }),
    sampleWebhook({ url: 'https://chat.test/hook/beta' }),
  ]);
  expect([first?.name, second?.name]).toEqual(['webhook-1', 'webhook-2']);
  expect(first?.channel).toMatch(/^[\w-]{16}$/);
  expect(first?.channel).not.toBe(second?.channel);
});

it.each([
  ['the same URL twice', [sampleWebhook(), sampleWebhook({ minSeverity: 'critical' })]],
  ['a share too small to post at all', [sampleWebhook({ share: 0.2 })]],
  ['a share beyond the channel', [sampleWebhook({ share: 1.5 })]],
  ['a workflow that is sent connector cards', [sampleWebhook({ service: 'workflows', card: 'connector' })]],
])('refuses %s, without telling the URL', (_, options) => {
  const attempt = () => nameWebhooks(options);
  expect(attempt).toThrow(WebhookOptionsError);
  expect(attempt).not.toThrow(/secret-part/);
});
