import { hostname } from 'node:os';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { CALLBACK_PATH } from '../alerts/callbacks/callback-handler.ts';
import type { CardForm, CardLinks } from '../alerts/card/card.ts';
import { objectPage } from '../alerts/card/object-page.ts';
import { renderCard } from '../alerts/card/render-card.ts';
import { exampleAlert, exampleNotification } from '../alerts/example-alert.ts';
import { alertNames } from '../alerts/rules/rule-description.ts';
import { systemClock } from '../base/clock.ts';
import type { Environment } from '../config/environment.ts';
import { type AdminAccess, AdminRequestError, adminAddress, callAdmin, withAdmin } from './admin-access.ts';
import { UsageError } from './usage-error.ts';

interface CardCommandOptions {
  readonly environment: Environment;
  readonly print: (line: string) => void;
}

interface CardOptions extends AdminAccess {
  readonly form: CardForm;
  readonly kind: 'firing' | 'resolved';
  readonly send?: boolean;
}

/** `tidegate card RULE`: shows what an alert card looks like before an alert occurs. */
export function addCardCommand(program: Command, { environment, print }: CardCommandOptions): void {
  withAdmin(program.command('card'), environment)
    .description('print the card of a rule with example figures, or have a running gateway post it')
    .argument('<rule>', alertNames.join(', '))
    .addOption(
      new Option('--form <form>', 'what the webhook takes')
        .choices(['connector', 'adaptive', 'text'])
        .default('connector'),
    )
    .addOption(
      new Option('--kind <kind>', 'at the beginning or at the end of the alert')
        .choices(['firing', 'resolved'])
        .default('firing'),
    )
    .option(
      '--send',
      'have the running gateway post it to every webhook, in the form of each and within its rate limits',
    )
    .action(async (rule: string, options: CardOptions) => {
      if (!alertNames.includes(rule))
        throw new UsageError(`${rule} is not a rule; the rules are ${alertNames.join(', ')}`);
      print(options.send ? await posted(rule, options) : card(rule, options));
    });
}

const toNobody = z.object({ webhooks: z.tuple([]) });

/** @throws AdminRequestError where no webhook is configured, since that it reaches somebody is what is to be found out */
async function posted(rule: string, access: AdminAccess): Promise<string> {
  const answer = await callAdmin(access, 'POST', '/api/alerts/test', { rule });
  if (toNobody.safeParse(answer).success)
    throw new AdminRequestError('no webhook is configured (alerts.webhooks): nobody was told');
  return JSON.stringify(answer, undefined, 2);
}

function card(rule: string, options: CardOptions): string {
  const { form, kind } = options;
  const nowMs = systemClock.nowMs();
  const alert = exampleAlert(rule, nowMs);
  if (!alert) throw new UsageError(`${rule} has no example`);
  const payload = renderCard(exampleNotification(alert, kind, nowMs), form, exampleLinks(options));
  return JSON.stringify(payload, undefined, 2);
}

/** Every button that a card of this rule can have. The links are not signed: only a running gateway can sign them. */
function exampleLinks(access: AdminAccess): CardLinks {
  const address = adminAddress(access);
  return {
    source: hostname(),
    statusPageUrl: new URL('/', address).href,
    runbookUrl: rule => new URL(`/runbook#${rule}`, address).href,
    objectUrl: object => new URL(`/${objectPage(object)}`, address).href,
    callbacks: {
      url: `https://callbacks.example.test${CALLBACK_PATH}`,
      signAction: ({ action }) => `example-${action}`,
      restore: true,
    },
  };
}
