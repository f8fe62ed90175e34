import { spawnSync } from 'node:child_process';
import { patternContent } from '../support/stand-in/content.ts';
import { type Contender, pinned } from './contenders/contender.ts';
import { startUploadNginx } from './contenders/nginx.ts';
import { UploadStore } from './contenders/upload-store.ts';
import { atMost, type Finding, orientation } from './finding.ts';
import { type Lab, mebibyte } from './lab.ts';
import { cpuSeconds, residentBytes } from './process-cost.ts';
import { parseReplyHead } from './reply-head.ts';
import { send } from './sender.ts';
import { bucket } from './store-command.ts';
import { signedUpload, type UploadBody, uploadBodies } from './upload-bodies.ts';

const sizeBytes = 1024 * mebibyte;
const client = { accessKeyId: 'bench', secretAccessKey: 'bench-secret' };
/** As nginx comes, and as large as it pays for it. */
const nginxBuffers = ['16k', '256k'];

/** CPU seconds of each way of sending, by contender: the lowest of all rounds. */
type Costs = Map<string, Map<string, number>>;

/**
 * Memory and CPU time of passing 1 GiB to a store, beside nginx that passes the same bytes and verifies nothing. Every
 * server is kept on one core; the client and the store are on the other.
 */
export async function upload(lab: Lab, rounds: number): Promise<readonly Finding[]> {
  const bodies = uploadBodies(patternContent(sizeBytes));
  const store = await lab.keep(UploadStore.start());
  const gateway = await startGateway(lab, store.url);
  const contenders = [gateway, ...(await startOthers(lab, store.url))];
  const idleBytes = residentBytes(gateway.pid).now;
  const costs: Costs = new Map(contenders.map(({ name }) => [name, new Map()]));
  for (let round = 1; round <= rounds; round++) await oneRound(lab, contenders, bodies, costs, round);
  const grownBytes = residentBytes(gateway.pid).peak - idleBytes;
  return [
    atMost('upload of 1 GiB: peak resident memory over idle', grownBytes / mebibyte, 64, 'MiB'),
    orientation('upload of 1 GiB: idle resident memory', idleBytes / mebibyte, 'MiB'),
    ...bodies.flatMap(body => compare(costs, body)),
  ];
}

async function startGateway(lab: Lab, storeUrl: string): Promise<Contender> {
  const gateway = await lab.gateway({
    launcher: pinned,
    backends: { store: { type: 's3', endpoint: storeUrl, credentials: client } },
    buckets: { [bucket]: { backend: 'store', access: 'verify' } },
    clients: [{ ...client, allow: [{ buckets: [bucket], keys: ['**'], actions: ['PutObject'] }] }],
    memory: '64MiB',
  });
  return { name: 'Tidegate', url: gateway.url, pid: gateway.pid, stop: () => gateway.stop() };
}

async function startOthers(lab: Lab, storeUrl: string): Promise<readonly Contender[]> {
  if (spawnSync('nginx', ['-V']).error) {
    lab.say('nginx is not installed');
    return [];
  }
  return Promise.all(nginxBuffers.map(size => lab.keep(startUploadNginx(storeUrl, size))));
}

async function oneRound(
  lab: Lab,
  contenders: readonly Contender[],
  bodies: readonly UploadBody[],
  costs: Costs,
  round: number,
): Promise<void> {
  for (const body of bodies) {
    const line: string[] = [];
    for (const contender of contenders) {
      const seconds = await oneUpload(contender, body);
      const lowest = costs.get(contender.name);
      lowest?.set(body.name, Math.min(seconds, lowest.get(body.name) ?? seconds));
      line.push(`${contender.name} ${seconds.toFixed(2)}`);
    }
    lab.say(`round ${round}, 1 GiB ${body.name}, seconds of CPU: ${line.join(' · ')}`);
  }
}

/** The CPU seconds of an upload, of which the store has to have got every byte. */
async function oneUpload({ name, url, pid }: Contender, body: UploadBody): Promise<number> {
  const before = cpuSeconds(pid);
  const target = `${url}/${bucket}/uploaded`;
  const { status, entityTag } = parseReplyHead(await send(target, signedUpload(body, target, client)));
  if (status !== 200 || entityTag !== `"${body.lengthBytes}-${body.checksum}"`)
    throw new Error(`${name} answers an upload ${body.name} with ${status} ${entityTag}`);
  return cpuSeconds(pid) - before;
}

/** nginx verifies nothing, so only a body that declares nothing is held against it; the others show what verifying costs. */
function compare(costs: Costs, { name: body, payloadHash }: UploadBody): readonly Finding[] {
  const lowest = [...costs].map(([name, ofBodies]) => [name, ofBodies.get(body) ?? Infinity] as const);
  const known = lowest.map(([name, seconds]) =>
    orientation(`upload of 1 GiB ${body}: ${name}`, seconds, 's'),
  );
  const better = Math.min(...lowest.filter(([name]) => name !== 'Tidegate').map(([, seconds]) => seconds));
  const share = (costs.get('Tidegate')?.get(body) ?? Infinity) / better;
  if (!Number.isFinite(better)) return known;
  const figure = `upload of 1 GiB ${body}: against nginx`;
  return [
    ...known,
    payloadHash === 'UNSIGNED-PAYLOAD' ? atMost(figure, share, 1.5) : orientation(figure, share),
  ];
}
