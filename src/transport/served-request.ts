import { type IncomingHttpHeaders, IncomingMessage } from 'node:http';

/**
 * Longer field names are refused (the metadata of an object, names included, has at most 2 KB at stores), and not put
 * into `headers`. As property keys they would enter V8's string table, where strings of more than 16 383 characters have
 * hashes that depend on the length alone (`String::kMaxHashCalcLength`): each would be compared with all others of its
 * length.
 */
export const FIELD_NAME_LIMIT = 4_096;

type AddLine = (this: IncomingMessage, name: string, value: string, headers: IncomingHttpHeaders) => void;

/**
 * A request that is served as plain HTTP even with Upgrade (RFC 9110 §7.8) or CONNECT (§9.3.6); a server may ignore
 * both. For CONNECT node:http would detach the connection, and the responses to earlier requests would be lost.
 * node:http decides by the property `upgrade`, which its parser sets; here it stays false, so the request is queued
 * like any other.
 */
export class ServedRequest extends IncomingMessage {
  /** Whether the request has Upgrade or CONNECT semantics: node:http parses nothing after it. */
  isUpgrade = false;

  /** Whether it has a body that is not parsed, or one that its handler reads: see request-bodies.ts. */
  isBodySkipped = false;
  isBodyTaken = false;

  /** How much node:http has parsed of a body that is taken. */
  parsedBytes = 0;

  /** Whether its client waits for `100 Continue` from the handler that takes the body: see `letContinue`. */
  isContinueAwaited = false;

  get upgrade(): boolean {
    return false;
  }

  set upgrade(isUpgrade: boolean) {
    // the constructor of IncomingMessage also sets it, to null
    if (isUpgrade) this.isUpgrade = true;
  }

  /** Called by node:http for each field when it builds `headers`. */
  _addHeaderLine(name: string, value: string, headers: IncomingHttpHeaders): void {
    if (name.length <= FIELD_NAME_LIMIT) addLine.call(this, name, value, headers);
  }
}

const addLine = inherited();

function inherited(): AddLine {
  const method: unknown = Reflect.get(IncomingMessage.prototype, '_addHeaderLine');
  return isAddLine(method) ? method : () => undefined;
}

function isAddLine(method: unknown): method is AddLine {
  return typeof method === 'function';
}
