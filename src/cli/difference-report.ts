import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { hideSecrets } from '../config/hidden-secrets.ts';
import { type AdminAccess, callAdmin } from './admin-access.ts';

const difference = z.object({ path: z.string(), change: z.enum(['added', 'removed', 'changed']) });
const comparison = z.object({ changed: z.array(difference), needsRestart: z.array(difference) });

type Difference = z.output<typeof difference>;

/**
 * Lines that tell what a reload with `config` would change in a running gateway, and what would need a restart. They name
 * places, not values, and no secret leaves this process.
 *
 * @throws AdminRequestError when the gateway cannot be asked, or is of another version
 */
export async function differenceReport(
  config: GatewayConfig,
  access: AdminAccess,
): Promise<readonly string[]> {
  const key = randomBytes(32).toString('hex');
  const answer = await callAdmin(access, 'POST', '/api/reload/compare', {
    config: hideSecrets(config, key),
    key,
  });
  const { changed, needsRestart } = comparison.parse(answer);
  if (changed.length + needsRestart.length === 0) return ['the running gateway has this configuration'];
  return [
    ...changed.map(each => `${inWords(each)}: a reload takes it over`),
    ...needsRestart.map(each => `${inWords(each)}: needs a restart`),
  ];
}

function inWords({ path, change }: Difference): string {
  return change === 'changed' ? `${path} differs from what runs` : `${path} is ${change}`;
}
