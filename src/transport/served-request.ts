import { IncomingMessage } from 'node:http';

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

  get upgrade(): boolean {
    return false;
  }

  set upgrade(isUpgrade: boolean) {
    // the constructor of IncomingMessage also sets it, to null
    if (isUpgrade) this.isUpgrade = true;
  }
}
