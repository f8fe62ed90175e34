import { type Alert, TEST_ID_PREFIX } from '../alert.ts';
import type { CardCommand, CardOperations, OperationOutcome } from './card-operations.ts';
import { type CallbackRefusal, refuse } from './refusal.ts';

/** The result of a command, immediate or pending. */
type CommandResult =
  | { readonly kind: 'done'; readonly message: string }
  | { readonly kind: 'running'; readonly outcome: Promise<OperationOutcome> }
  | CallbackRefusal;

/** Executes a command on behalf of `by`. A refused command has changed nothing. */
export function runCommand(command: CardCommand, by: string, operations: CardOperations): CommandResult {
  // the ticket was signed here, so the id is that of a test card
  if (command.alertIds.every(id => id.startsWith(TEST_ID_PREFIX)))
    return { kind: 'done', message: 'This is a test card: its button works, and nothing was changed.' };
  const alerts = command.alertIds.flatMap(id => operations.find(id) ?? []);
  if (alerts.length === 0) return refuse('alert-unknown', 'This alert is not known any more.');
  switch (command.action) {
    case 'acknowledge':
      return acknowledge(alerts, by, operations);
    case 'silence': {
      for (const alert of alerts) operations.silence(alert, command.untilMs, by, command.why);
      const until = new Date(command.untilMs).toISOString().slice(0, 16).replace('T', ' ');
      return { kind: 'done', message: `Silenced until ${until} UTC.` };
    }
    case 'unsilence': {
      const ended = alerts.reduce((sum, alert) => sum + operations.unsilence(alert), 0);
      return { kind: 'done', message: ended > 0 ? 'The silence is over.' : 'It was not silenced any more.' };
    }
    case 'restore': {
      const running = operations.restore?.(command.object, command.request);
      return running ? { kind: 'running', outcome: running } : notConfigured('Restoring');
    }
    case 'purge': {
      const running = operations.purge?.(command.object);
      return running ? { kind: 'running', outcome: running } : notConfigured('Purging');
    }
  }
}

function acknowledge(alerts: readonly Alert[], by: string, operations: CardOperations): CommandResult {
  const kinds = alerts.map(({ id }) => operations.acknowledge(id, by).kind);
  if (kinds.includes('acknowledged'))
    return { kind: 'done', message: 'Acknowledged: it will not be repeated.' };
  if (kinds.includes('already')) return { kind: 'done', message: 'Somebody has acknowledged it before.' };
  return refuse('alert-unknown', 'This alert is over already.');
}

function notConfigured(what: string): CallbackRefusal {
  return refuse('action-not-available', `${what} from a card is not configured.`);
}
