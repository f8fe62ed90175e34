import { isNoticeName, noticeNames, noticeTable } from './notice-table.ts';
import { isRuleName, ruleNames, ruleTable } from './rule-table.ts';

/** Every name that `alerts.rules` knows: the conditions, then the notices. */
export const alertNames: readonly string[] = [...ruleNames, ...noticeNames];

/** What a card says about any alert of a rule. */
export interface RuleDescription {
  readonly title: string;
  readonly advice: string;
}

/** The words for a rule. One that this version does not know, as an older one may have left behind, has its name. */
export function describeRule(name: string): RuleDescription {
  if (isRuleName(name)) return ruleTable[name];
  if (isNoticeName(name)) return noticeTable[name];
  return { title: name, advice: '' };
}
