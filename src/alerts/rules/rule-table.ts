import { archivedObjects } from './archived-objects.ts';
import { backendCredentials } from './backend-credentials.ts';
import { backendErrorBudget } from './backend-error-budget.ts';
import { backendErrorBurn } from './backend-error-burn.ts';
import { backendErrors } from './backend-errors.ts';
import { backendTimeouts } from './backend-timeouts.ts';
import { backendUnreachable } from './backend-unreachable.ts';
import { cacheThrash } from './cache-thrash.ts';
import { certificateExpiry } from './certificate-expiry.ts';
import { certificateRenewal } from './certificate-renewal.ts';
import { configReload } from './config-reload.ts';
import { eventLoopLag } from './event-loop-lag.ts';
import { eventsQueue } from './events-queue.ts';
import { hitRatioDrop } from './hit-ratio-drop.ts';
import { logLines } from './log-lines.ts';
import { refusedSignatures } from './refused-signatures.ts';
import { restartLoop } from './restart-loop.ts';
import { retryStorm } from './retry-storm.ts';
import { bindRule, type Rule, type RuleDefinition } from './rule.ts';
import { saturation } from './saturation.ts';
import { serverErrors } from './server-errors.ts';
import { slowFirstByte } from './slow-first-byte.ts';
import { stateDirectory } from './state-directory.ts';

/** All conditions, causes before effects: a rule can only be inhibited by an earlier one. */
export const ruleTable = {
  backendUnreachable,
  backendCredentials,
  backendErrors,
  backendErrorBurn,
  backendErrorBudget,
  backendTimeouts,
  retryStorm,
  serverErrors,
  slowFirstByte,
  hitRatioDrop,
  cacheThrash,
  refusedSignatures,
  archivedObjects,
  saturation,
  eventLoopLag,
  restartLoop,
  eventsQueue,
  certificateExpiry,
  certificateRenewal,
  stateDirectory,
  logLines,
  configReload,
} as const;

export type RuleName = keyof typeof ruleTable;

type OptionsOf<Name extends RuleName> =
  (typeof ruleTable)[Name] extends RuleDefinition<infer Options> ? Options : never;

type DefinitionTable = { readonly [Name in RuleName]: RuleDefinition<OptionsOf<Name>> };

/** `alerts.rules`: changes to a rule's options, or `false` to disable it. */
export type RuleOptions = { readonly [Name in RuleName]?: Partial<OptionsOf<Name>> | false };

export const ruleNames: readonly RuleName[] = Object.keys(ruleTable).filter(isRuleName);

export function isRuleName(name: string): name is RuleName {
  return Object.hasOwn(ruleTable, name);
}

/** The enabled rules, in the order of the table. */
export function createRules(options: RuleOptions = {}): readonly Rule[] {
  return ruleNames.flatMap(name => createRule(name, options) ?? []);
}

function createRule<Name extends RuleName>(name: Name, options: RuleOptions): Rule | undefined {
  const definitions: DefinitionTable = ruleTable;
  const definition: RuleDefinition<OptionsOf<Name>> = definitions[name];
  const changes: Partial<OptionsOf<Name>> | false | undefined = options[name];
  if (changes === false) return undefined;
  return bindRule(definition, changes ?? {});
}
