import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SigningCertificates } from '../../src/admin/events/signing-certificates.ts';
import { TestAuthority } from './certificates.ts';
import { ManualClock } from './manual-clock.ts';

export const TOPIC_ARN = 'arn:aws:sns:eu-west-1:123456789012:photos';
export const CERTIFICATE_URL = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0f1e.pem';

/** An envelope, field by field. */
export type Envelope = Record<string, unknown>;

/** A topic with a key and a certificate of its own, as Amazon SNS has them. */
export class SignedTopic {
  /** Ahead, so that every certificate that a test makes has begun. */
  readonly clock = new ManualClock(Date.now() + 600_000);
  /** The certificates, by their addresses. */
  readonly served = new Map<string, string>();
  readonly fetched: string[] = [];
  readonly certificates: SigningCertificates;
  readonly #authority = new TestAuthority();
  readonly #key: string;

  constructor() {
    const { cert, key } = this.#authority.issue(['sns.amazonaws.com'], 2, 2_048);
    this.#key = readFileSync(key, 'utf8');
    this.served.set(CERTIFICATE_URL, readFileSync(cert, 'utf8'));
    this.certificates = this.certificatesBy(async url => {
      const pem = this.served.get(url);
      if (pem === undefined) throw new Error('it answered 404');
      return pem;
    });
  }

  certificatesBy(fetch: (url: string) => Promise<string>): SigningCertificates {
    const noted = (url: string) => {
      this.fetched.push(url);
      return fetch(url);
    };
    return new SigningCertificates({ fetch: noted, clock: this.clock });
  }

  /** Puts another certificate in the place of the topic's. */
  serve(name: string, days: number, keyBits?: number): void {
    this.served.set(CERTIFICATE_URL, readFileSync(this.#authority.issue([name], days, keyBits).cert, 'utf8'));
  }

  notification(message: unknown, more: Envelope = {}, version: '1' | '2' = '2'): Envelope {
    const Message = typeof message === 'string' ? message : JSON.stringify(message);
    return this.signed({ Type: 'Notification', Message, ...more }, version);
  }

  confirmation(Type: 'SubscriptionConfirmation' | 'UnsubscribeConfirmation'): Envelope {
    const SubscribeURL = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=t';
    return this.signed({ Type, Message: 'You have chosen to subscribe', SubscribeURL, Token: 't' }, '2');
  }

  /** Written down here once more, in the order of Amazon's page, so that the code under test is not its own measure. */
  signed(given: Envelope, SignatureVersion: '1' | '2'): Envelope {
    const fields: Envelope = {
      MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
      TopicArn: TOPIC_ARN,
      Timestamp: new Date(this.clock.nowMs()).toISOString(),
      ...given,
    };
    const order =
      fields.Type === 'Notification'
        ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
        : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
    const present = order.filter(name => fields[name] !== undefined);
    const text = present.map(name => `${name}\n${fields[name]}\n`).join('');
    const digest = SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256';
    const Signature = sign(digest, Buffer.from(text), this.#key).toString('base64');
    return { ...fields, SignatureVersion, Signature, SigningCertURL: CERTIFICATE_URL };
  }

  remove(): void {
    this.#authority.remove();
  }
}
