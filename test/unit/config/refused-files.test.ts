import { expect, it } from 'vitest';
import { readServerTls } from '../../../src/config/backend-certificates.ts';
import type { BackendConfig } from '../../../src/config/gateway-config.ts';
import { unwritableLog } from '../../../src/config/log-file-check.ts';

it('of a client certificate of a backend, the key is named whose file is not there', () => {
  const tls = { cert: import.meta.filename, key: '/nowhere/key.pem', insecureSkipVerify: false };
  const read = readServerTls({ type: 'http', tls } as unknown as BackendConfig);
  expect(read).toEqual({ kind: 'problems', problems: [{ key: 'key', why: 'cannot be read (ENOENT)' }] });
});

it('a secret in the place of the file of the access log is not shown', () => {
  const text = unwritableLog('wJalrXUtn1/K7MDENG/bPxRfiCYEX', 'ENOENT');
  expect(text).not.toContain('K7MDENG');
});
