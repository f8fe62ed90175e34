import type { WebRules, WebsiteRules } from '../../src/gateway/request/bucket.ts';
import { type OriginRequest, ScriptedOrigin } from './scripted-origin.ts';
import { TestGateway, type TestGatewayOptions } from './test-gateway.ts';

export type Head = Record<string, string | string[]>;

export interface WebAnswer {
  readonly status: number;
  readonly head: Head;
  readonly body?: string | Buffer;
}

/** The fields of an answer 200, or all of it. */
export type WebAnswers = (asked: OriginRequest) => Head | WebAnswer;

export type WebGatewayOptions = Partial<TestGatewayOptions> & {
  readonly rules?: Partial<WebRules>;
  readonly website?: WebsiteRules;
  readonly name?: 'web' | '/';
};

export function isWhole(said: Head | WebAnswer): said is WebAnswer {
  return typeof said.status === 'number';
}

/** A gateway in front of a web origin whose answers tell their number, unless they have a body. */
export async function startWebGateway(
  answers: WebAnswers,
  { rules, website, name = '/', ...others }: WebGatewayOptions = {},
): Promise<{ readonly origin: ScriptedOrigin; readonly gateway: TestGateway }> {
  const origin = await ScriptedOrigin.start((asked, response) => {
    const said = answers(asked);
    const {
      status,
      head,
      body = `answer ${origin.asked.length}`,
    } = isWhole(said) ? said : { status: 200, head: said, body: undefined };
    response.writeHead(status, head);
    response.end(body);
  });
  const gateway = await TestGateway.start({
    storeUrl: 'http://127.0.0.1:1',
    ...(name === '/' && { buckets: {} }),
    web: { url: origin.url, name, ...(rules && { rules }), ...(website && { website }) },
    ...others,
    policy: { ttlMs: 0, ...others.policy },
  });
  return { origin, gateway };
}
