import { isNoticeName, noticeNames, noticeTable } from './notice-table.ts';
import { isRuleName, ruleNames, ruleTable } from './rule-table.ts';

/** Every name in `alerts.rules`: the conditions, then the notices. */
export const alertNames: readonly string[] = [...ruleNames, ...noticeNames];

/** The fixed texts of a rule's cards. */
interface RuleDescription {
  readonly title: string;
  readonly advice: string;
}

/** The texts of a rule. For an unknown one, which an older version may have left in the queue, its name. */
export function describeRule(name: string): RuleDescription {
  if (isRuleName(name)) return ruleTable[name];
  if (isNoticeName(name)) return noticeTable[name];
  return { title: name, advice: '' };
}
