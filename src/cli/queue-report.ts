import { inWords } from '../backend/cause-words.ts';
import type { ProbeResult } from '../backend/probe-store.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { credentialsFinding, type Finding, isOfCredentials } from './finding.ts';

type QueueConfig = NonNullable<GatewayConfig['events']['queue']>;
type Refusal = Extract<ProbeResult, { kind: 'refused' }>;

/** Whether the queue of events can be reached, is there, and takes the credentials. */
export function queueFindings(queue: QueueConfig, results: readonly ProbeResult[]): readonly Finding[] {
  return results.flatMap(result => {
    if (isOfCredentials(result)) return [credentialsFinding(result)];
    switch (result.kind) {
      case 'questioned':
        return [
          { text: `at ${queue.url} answers ${result.asked}, with ${result.how}`, exitCode: 0 as const },
        ];
      case 'refused':
        return [refusalFinding(queue, result)];
      case 'unreachable':
        return [
          { text: `cannot be asked: ${whyUnasked(result.cause)} (${result.cause})`, exitCode: 1 as const },
        ];
      default:
        return [];
    }
  });
}

function whyUnasked(cause: string): string {
  const isNoAnswer = cause === 'INVALID_ANSWER' || cause === 'ANSWER_TOO_LARGE';
  return isNoAnswer ? 'what it answers is no answer of a queue' : inWords(cause);
}

/** Who may receive and delete messages need not be allowed to ask about their queue. */
function refusalFinding({ url, credentials }: QueueConfig, { asked, status, code = '' }: Refusal): Finding {
  const reply = code === '' ? `status ${status}` : `${status} ${code}`;
  const text = (advice: string) => `at ${url} answers ${reply} to ${asked}: ${advice}`;
  if (credentials.kind !== 'none' && lackOfRights.test(code))
    return {
      text: text(
        'it takes the signature, but these credentials may not ask this. They need not: sqs:ReceiveMessage and sqs:DeleteMessage are enough. Whether they have these, and whether the queue is there, was not asked',
      ),
      exitCode: 0,
    };
  return { text: text(adviceFor(credentials.kind === 'none', status, code)), exitCode: 1 };
}

const lackOfRights = /^AccessDenied(?:Exception)?$/;
const missing = /NonExistentQueue$|^QueueDoesNotExist$/;
const needsSignature = /^(?:AccessDenied|IncompleteSignature|MissingAuthenticationToken)(?:Exception)?$/;
const wrongSignature =
  /^(?:ExpiredToken|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|UnrecognizedClient)(?:Exception)?$/;

function adviceFor(isUnsigned: boolean, status: number, code: string): string {
  if (missing.test(code)) return 'create it, or correct events.queue.url';
  if (isUnsigned && (status === 403 || needsSignature.test(code)))
    return 'it takes no questions without a signature: write events.queue.credentials';
  if (wrongSignature.test(code))
    return 'correct events.queue.credentials and events.queue.region, and see that the clock of this machine is right: the signature is refused';
  if (status === 429 || /Throttl/.test(code)) return 'it limits requests at the moment: ask again later';
  if (status >= 500) return 'it is in trouble itself, or what stands before it is: ask again later';
  return 'see url, region and credentials of events.queue';
}
