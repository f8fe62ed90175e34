import { hiddenLists } from '../s3/pattern-effects.ts';
import type { ConfigWarning } from './config-warning.ts';
import type { GatewayConfig } from './gateway-config.ts';

/** Warns of each section of a rule that earlier rules have for all its keys. */
export function* hiddenRules({ buckets }: Pick<GatewayConfig, 'buckets'>): Generator<ConfigWarning> {
  for (const [bucket, { rules }] of Object.entries(buckets)) {
    const sections = new Set(rules.flatMap(({ keys: _keys, ...given }) => keysOf(given)));
    for (const section of sections) {
      const having = [...rules.entries()].filter(([, rule]) => rule[section] !== undefined);
      for (const hidden of hiddenLists(having.map(([, { keys }]) => keys)) ?? []) {
        const [index] = having[hidden] ?? [];
        if (index === undefined) continue;
        yield {
          path: ['buckets', bucket, 'rules', index, section],
          consequence: `it has no effect: the first rule that covers a key and has ${section} decides, and earlier ones cover all keys of this rule`,
        };
      }
    }
  }
}

function keysOf<T extends object>(object: T): readonly (keyof T)[] {
  return Object.keys(object) as (keyof T)[];
}
