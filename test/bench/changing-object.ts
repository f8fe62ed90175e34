import type { GatewayProcess } from '../support/gateway-process.ts';
import { type Content, patternContent } from '../support/stand-in/content.ts';
import { exactly, type Finding, orientation } from './finding.ts';
import { type Lab, mebibyte, urlAt } from './lab.ts';
import { type Reading, read } from './reader.ts';

const sizeBytes = 32 * mebibyte;
const readers = 24;
const changesAtBytes = [1, mebibyte, 5 * mebibyte, 12 * mebibyte, 20 * mebibyte, 31 * mebibyte];

/** Readers of whole bodies and of ranges while the object is replaced at the store, early, late and between. */
export async function changingObject(lab: Lab): Promise<readonly Finding[]> {
  const gateway = await lab.gateway();
  await lab.store.pace(5, 40_000_000);
  const sorted: Outcome[] = [];
  for (const [round, atBytes] of changesAtBytes.entries()) {
    sorted.push(...(await oneRound(lab, gateway, round, atBytes)));
  }
  const count = (outcome: Outcome) => sorted.filter(one => one === outcome).length;
  return [
    exactly('object changes under 24 readers: mixed bodies', count('mixed'), 0),
    exactly('object changes under 24 readers: clean but short', count('short'), 0),
    exactly('object changes under 24 readers: tag of another content', count('wrong tag'), 0),
    orientation('object changes under 24 readers: whole old bodies', count('old')),
    orientation('object changes under 24 readers: whole new bodies', count('new')),
    orientation('object changes under 24 readers: cut off', count('cut')),
    orientation('object changes under 24 readers: refused before the first byte', count('refused')),
  ];
}

/** What became of one reader. */
export type Outcome = 'old' | 'new' | 'mixed' | 'short' | 'wrong tag' | 'cut' | 'refused';

async function oneRound(lab: Lab, gateway: GatewayProcess, round: number, atBytes: number) {
  const key = `changing-${round}`;
  const old = await lab.put({ key, sizeBytes, seed: 2 * round + 1 });
  await lab.store.clear();
  await lab.store.replaceAt({ bodyBytes: atBytes }, { key, sizeBytes, seed: 2 * round + 2 });
  const fresh = patternContent(sizeBytes, 2 * round + 2);
  const readings = Array.from({ length: readers }, (_, index) => {
    const firstByte = index % 2 === 0 ? 0 : index * mebibyte + 17 * index;
    const headers = firstByte === 0 ? {} : { range: `bytes=${firstByte}-` };
    return read(urlAt(gateway, key), [old, fresh], headers).then(reading =>
      outcomeOf(reading, fresh, sizeBytes - firstByte),
    );
  });
  return Promise.all(readings);
}

/** Sorts one reader's answer of `lengthBytes` bytes; a body that fits neither content as a whole is mixed. */
export function outcomeOf(reading: Reading, fresh: Content, lengthBytes: number): Outcome {
  const { status, clean, fits, bytes, entityTag } = reading;
  if (status !== 200 && status !== 206) return 'refused';
  const [content] = fits;
  if (!content) return 'mixed';
  if (bytes > 0 && !fits.some(fit => fit.entityTag === entityTag)) return 'wrong tag';
  if (!clean) return 'cut';
  if (bytes !== lengthBytes) return 'short';
  return content === fresh ? 'new' : 'old';
}
