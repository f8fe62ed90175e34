import { expect, it } from 'vitest';
import type { AlertConfig } from '../../../src/config/gateway-config.ts';
import { cardLinks } from '../../../src/wiring/card-links.ts';

const none = { webhooks: [], rules: {} } as unknown as AlertConfig;
const targets = {
  adminUrl: 'http://127.0.0.1:9090',
  callbackOrigin: undefined,
  canRestore: false,
  signAction: () => 'signed',
};

it('links lead to the pages of the admin port, unless others are configured', () => {
  const own = cardLinks({ ...none, source: 'gate-1' }, targets);
  expect(own).toMatchObject({ source: 'gate-1', statusPageUrl: 'http://127.0.0.1:9090/' });
  expect(own.runbookUrl?.('slowFirstByte')).toBe('http://127.0.0.1:9090/runbook#slowFirstByte');
  const page = cardLinks({ ...none, statusPage: 'https://ops.example.test/gate/' }, targets);
  expect(page.runbookUrl?.('slowFirstByte')).toBe('https://ops.example.test/gate/runbook#slowFirstByte');
  const object = { bucket: 'photos', key: 'a/<b>(1) &+?.txt', versionId: 'v 1' };
  expect(own.objectUrl?.(object)).toBe(
    'http://127.0.0.1:9090/objects?bucket=photos&key=a%2F%3Cb%3E%281%29+%26%2B%3F.txt&version=v+1',
  );
  expect(page.objectUrl?.({ bucket: 'photos', key: 'k' })).toBe(
    'https://ops.example.test/gate/objects?bucket=photos&key=k',
  );
  const book = cardLinks({ ...none, runbook: 'https://wiki.example.test/{rule}?r={rule}' }, targets);
  expect(book.runbookUrl?.('a')).toBe('https://wiki.example.test/a?r=a');
});

it('cards have buttons only where there is an endpoint for them', () => {
  expect(cardLinks(none, targets)).not.toHaveProperty('callbacks');
  const links = cardLinks(none, {
    ...targets,
    callbackOrigin: 'https://gate.example.test',
    canRestore: true,
  });
  expect(links.callbacks).toMatchObject({
    url: 'https://gate.example.test/callbacks/cards/actions',
    restore: true,
  });
});
