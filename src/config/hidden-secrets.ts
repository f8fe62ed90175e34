import { createHmac } from 'node:crypto';
import type { GatewayConfig } from './gateway-config.ts';
import { secretsOf } from './secrets.ts';

/**
 * `config` with digests in the place of its secrets, so that two configurations can be compared without knowing them.
 *
 * @param key of the digests, random for each comparison; what was hidden with it stays as it is
 */
export function hideSecrets(config: GatewayConfig, key: string): GatewayConfig {
  const secrets = new Set(secretsOf(config));
  const hidden = `hidden ${key} `;
  return JSON.parse(JSON.stringify(config), (_name, value: unknown) => {
    if (typeof value !== 'string' || !secrets.has(value) || value.startsWith(hidden)) return value;
    return hidden + createHmac('sha256', key).update(value).digest('hex');
  });
}
