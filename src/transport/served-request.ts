import { IncomingMessage } from 'node:http';

/**
 * A request that stays a request of HTTP where it offers another protocol (Upgrade, RFC 9110 §7.8) or asks for a tunnel
 * (CONNECT, §9.3.6): a server need not take either up. For CONNECT node:http would hand the connection over and forget it,
 * and the answers to the requests before it would be lost. It decides that by the property `upgrade`, once its parser has
 * set it; here that stays false, so that such a request waits for its turn as any other does.
 */
export class ServedRequest extends IncomingMessage {
  /** Whether it offers another protocol or asks for a tunnel: node:http reads nothing of what comes behind it. */
  isUpgrade = false;

  get upgrade(): boolean {
    return false;
  }

  set upgrade(isUpgrade: boolean) {
    // the constructor of IncomingMessage sets it too, to null
    if (isUpgrade) this.isUpgrade = true;
  }
}
