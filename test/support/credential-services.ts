import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** A request to one of the services. */
export interface ServiceRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Keys that a service gave. */
interface IssuedKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiresAtMs: number;
}

const ROLES = '/latest/meta-data/iam/security-credentials/';

/**
 * Stand-ins on one loopback port: the metadata service of instances (IMDSv2 only), the credentials service of
 * containers, the token service (AssumeRole, AssumeRoleWithWebIdentity), and the services of SSO (portal and tokens).
 * Each answer has new keys, numbered, with a lifetime that a test sets.
 */
export class CredentialServices {
  readonly requests: ServiceRequest[] = [];
  readonly issued: IssuedKeys[] = [];
  lifetimeMs = 3_600_000;
  /** What every service answers instead: a status, a broken document that quotes keys, nothing, or without an end. */
  fault: 'none' | 'hang' | 'drip' | 'huge' | 'not-json' | number = 'none';
  /** Whether the metadata service is out of reach for its first request, as behind one hop too many. */
  isTooFar = false;
  /** What the metadata service says of the end of its keys, in place of the truth. */
  expiration: string | undefined;
  /** Whose keys they are. */
  owner = { accountId: '123456789012', role: 'a-role' };
  /** Whether the services tell whose keys they give. */
  tellsOwner = true;
  /** Answers with the last keys again. */
  repeats = false;
  readonly #server: Server;
  #waiting: (() => void)[] = [];
  #open = 0;

  private constructor() {
    this.#server = createServer((request, reply) => void this.#take(request, reply));
  }

  static async start(): Promise<CredentialServices> {
    const services = new CredentialServices();
    await new Promise<void>(resolve => services.#server.listen(0, '127.0.0.1', resolve));
    return services;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the services are closed');
    return `http://127.0.0.1:${address.port}`;
  }

  /** The variables that lead the SDK here. */
  get environment(): Record<string, string> {
    return {
      AWS_EC2_METADATA_SERVICE_ENDPOINT: this.url,
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${this.url}/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'plantedContainerToken99',
      AWS_ENDPOINT_URL_STS: this.url,
      AWS_ENDPOINT_URL_SSO: this.url,
      AWS_ENDPOINT_URL_SSO_OIDC: this.url,
    };
  }

  /** Resolves when `count` keys have been given. */
  async issuedCount(count: number): Promise<void> {
    while (this.issued.length < count) await new Promise<void>(resolve => this.#waiting.push(resolve));
  }

  /** Resolves when nobody waits for an answer any more. */
  async isIdle(): Promise<void> {
    while (this.#open > 0) await new Promise(resolve => setImmediate(resolve));
  }

  async close(): Promise<void> {
    const closed = new Promise(resolve => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    this.#open++;
    reply.once('close', () => this.#open--);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const body = Buffer.concat(chunks).toString();
    this.requests.push({ method, url, headers, body });
    if (this.fault === 'hang') return;
    if (this.fault === 'drip' || this.fault === 'huge') {
      pour(reply, this.fault === 'drip' ? 1 : 65_536);
      return;
    }
    if (typeof this.fault === 'number') reply.writeHead(this.fault).end();
    else this.#answer({ method, url, headers, body }, reply);
  }

  #answer({ method, url, headers, body }: ServiceRequest, reply: ServerResponse): void {
    if (url === '/latest/api/token') {
      if (this.isTooFar) return;
      if (method === 'PUT' && headers['x-aws-ec2-metadata-token-ttl-seconds']) reply.end('imds-token');
      else reply.writeHead(400).end();
    } else if (url.startsWith(ROLES)) {
      if (headers['x-aws-ec2-metadata-token'] !== 'imds-token') reply.writeHead(401).end();
      else if (url === ROLES) reply.end(this.owner.role);
      else this.#json(reply, { ...this.#metadata(), ...this.#falseExpiration() });
    } else if (url === '/container') {
      if (headers.authorization !== this.environment.AWS_CONTAINER_AUTHORIZATION_TOKEN)
        reply.writeHead(401).end('{"Code":"Unauthorized"}');
      else
        this.#json(reply, {
          ...this.#metadata(),
          ...(this.tellsOwner && { RoleArn: this.#roleArn('iam', 'role') }),
        });
    } else if (url.startsWith('/federation/credentials')) {
      const { expiresAtMs, ...keys } = this.#issue();
      this.#json(reply, { roleCredentials: { ...keys, expiration: expiresAtMs } });
    } else if (url === '/token') {
      this.#json(reply, { accessToken: 'plantedSsoRenewed97', expiresIn: 3_600, refreshToken: 'r2' });
    } else {
      const action = new URLSearchParams(body).get('Action') ?? '';
      if (!/^AssumeRole(?:WithWebIdentity)?$/.test(action)) reply.writeHead(400).end();
      else
        this.#text(
          reply,
          assumedRole(
            action,
            this.#issue(),
            this.tellsOwner ? `${this.#roleArn('sts', 'assumed-role')}/s${this.issued.length}` : '',
          ),
        );
    }
  }

  #metadata(): object {
    return asMetadata(this.#issue());
  }

  #roleArn(service: string, kind: string): string {
    return `arn:aws:${service}::${this.owner.accountId}:${kind}/${this.owner.role}`;
  }

  #falseExpiration(): object {
    return this.expiration === undefined ? {} : { Expiration: this.expiration };
  }

  #issue(): IssuedKeys {
    const last = this.issued.at(-1);
    if (this.repeats && last) return last;
    const number = String(this.issued.length + 1).padStart(4, '0');
    const keys = {
      accessKeyId: `ASIASTANDIN${number}`,
      secretAccessKey: `plantedSecretKey${number}`,
      sessionToken: `plantedSessionToken${number}/with+both==`,
      // the services tell whole seconds
      expiresAtMs: Math.ceil((Date.now() + this.lifetimeMs) / 1_000) * 1_000,
    };
    this.issued.push(keys);
    for (const wake of this.#waiting.splice(0)) wake();
    return keys;
  }

  #json(reply: ServerResponse, document: object): void {
    reply.setHeader('content-type', 'application/json');
    this.#text(reply, JSON.stringify(document));
  }

  #text(reply: ServerResponse, text: string): void {
    reply.end(this.fault === 'not-json' ? `${this.issued.at(-1)?.secretAccessKey}${text}` : text);
  }
}

/** Spaces, for as long as they are taken. */
function pour(reply: ServerResponse, lengthBytes: number): void {
  const more = setInterval(() => reply.write(' '.repeat(lengthBytes)), 20);
  reply.once('close', () => clearInterval(more));
}

function asMetadata({ accessKeyId, secretAccessKey, sessionToken, expiresAtMs }: IssuedKeys): object {
  return {
    ...{ Code: 'Success', Type: 'AWS-HMAC' },
    ...{ AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken },
    Expiration: secondsOf(expiresAtMs),
  };
}

function assumedRole(action: string, keys: IssuedKeys, arn: string): string {
  return `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials><AccessKeyId>${keys.accessKeyId}</AccessKeyId><SecretAccessKey>${keys.secretAccessKey}</SecretAccessKey><SessionToken>${keys.sessionToken}</SessionToken><Expiration>${secondsOf(keys.expiresAtMs)}</Expiration></Credentials><AssumedRoleUser><Arn>${arn}</Arn><AssumedRoleId>A:s</AssumedRoleId></AssumedRoleUser></${action}Result><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></${action}Response>`;
}

function secondsOf(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
