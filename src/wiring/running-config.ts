/** Part of the supervisor's composition root. */
import type { GatewayConfig } from '../config/gateway-config.ts';

/** The configuration in force; a reload replaces it. */
export class RunningConfig {
  current: GatewayConfig;

  constructor(config: GatewayConfig) {
    this.current = config;
  }
}
