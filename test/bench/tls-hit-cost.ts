import { TestAuthority } from '../support/certificates.ts';
import { type Contender, isInstalled } from './contenders/contender.ts';
import { startGateway } from './contenders/gateway.ts';
import { startNginx } from './contenders/nginx.ts';
import { type Finding, orientation } from './finding.ts';
import { type Costs, hitSizes, measureHits } from './hit-measure.ts';
import type { Lab } from './lab.ts';

/** Hits over TLS (HTTP/1.1 on kept connections) beside nginx with the same certificate, each at its own choice of ciphers. */
export async function tlsHitCost(lab: Lab, rounds: number): Promise<readonly Finding[]> {
  const authority = new TestAuthority();
  try {
    const tls = authority.issue(['127.0.0.1']);
    const { costs, findings } = await measureHits(lab, rounds, async () => {
      const contenders: Contender[] = [await startGateway(lab, { tls }, 'TLS')];
      if (isInstalled('nginx')) contenders.push(await lab.keep(startNginx(lab.store.url, 'on', { tls })));
      return contenders;
    });
    return [...findings, ...hitSizes.flatMap(({ name }) => compare(costs, name))];
  } finally {
    authority.remove();
  }
}

function compare(costs: Costs, size: string): readonly Finding[] {
  const ours = costs.get('Tidegate, TLS')?.get(size) ?? Number.NaN;
  const theirs = costs.get('nginx, TLS')?.get(size);
  const known = [...costs].map(([name, of]) =>
    orientation(`hit of ${size}: ${name}`, of.get(size) ?? Number.NaN, 'µs'),
  );
  if (theirs === undefined) return known;
  return [...known, orientation(`hit of ${size}: over TLS against nginx over TLS`, ours / theirs)];
}
