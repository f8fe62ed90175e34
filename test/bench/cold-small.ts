import { atMost, exactly, type Finding } from './finding.ts';
import { kibibyte, type Lab, mebibyte, urlAt } from './lab.ts';
import { read } from './reader.ts';

const blockBytes = mebibyte;

const cases = [
  {
    name: 'first 100 bytes of a cold 128 MiB object',
    sizeBytes: 128 * mebibyte,
    range: 'bytes=0-99',
    bytes: 100,
  },
  {
    name: '100 bytes in the middle of one',
    sizeBytes: 128 * mebibyte,
    range: 'bytes=70000000-70000099',
    bytes: 100,
  },
  { name: 'last 100 bytes of one', sizeBytes: 128 * mebibyte, range: 'bytes=-100', bytes: 100 },
  { name: 'a cold 9 KiB object', sizeBytes: 9 * kibibyte, range: undefined, bytes: 9 * kibibyte },
];

/** What little reads of cold objects cost the store. */
export async function coldSmall(lab: Lab): Promise<readonly Finding[]> {
  const gateway = await lab.gateway();
  const findings: Finding[] = [];
  for (const [seed, { name, sizeBytes, range, bytes }] of cases.entries()) {
    const key = `small-${seed}`;
    const content = await lab.put({ key, sizeBytes, seed });
    await lab.store.clear();
    const headers = range === undefined ? {} : { range };
    const reading = await read(urlAt(gateway, key), [content], headers);
    const { requests, bodyBytes } = await lab.store.report();
    const again = await read(urlAt(gateway, key), [content], headers);
    const repeated = (await lab.store.report()).requests.length - requests.length;
    const right = [reading, again].filter(one => one.clean && one.fits.length === 1 && one.bytes === bytes);
    lab.say(
      `${name}: ${requests.map(request => `${request.method} ${request.headers.range ?? ''}`).join(', ')}`,
    );
    findings.push(
      exactly(`${name}: right bodies, cold and again`, right.length, 2),
      exactly(`${name}: store requests`, requests.length, 1),
      exactly(`${name}: of them HEAD`, requests.filter(({ method }) => method === 'HEAD').length, 0),
      atMost(`${name}: bytes from the store`, bodyBytes, Math.min(blockBytes, sizeBytes), 'B'),
      exactly(`${name}: store requests when asked again`, repeated, 0),
    );
  }
  return findings;
}
