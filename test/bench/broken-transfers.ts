import { exactly, type Finding, orientation } from './finding.ts';
import { type Lab, mebibyte, urlAt } from './lab.ts';
import { read } from './reader.ts';

const sizeBytes = 64 * mebibyte;
/** Before the first byte, inside a block, at its edge, after several, and one byte further. */
const breaks = [300_001, 0, mebibyte, 5_500_000, 70_003, 1];

/** One read during which the store's connection breaks six times. */
export async function brokenTransfers(lab: Lab): Promise<readonly Finding[]> {
  const gateway = await lab.gateway();
  const content = await lab.put({ key: 'fragile', sizeBytes, seed: 1 });
  await lab.store.breakAfter(...breaks);
  const reading = await read(urlAt(gateway, 'fragile'), [content]);
  const { requests, bodyBytes } = await lab.store.report();
  const broken = requests.filter(({ ending }) => ending === 'broken');
  lab.say(`broken after ${broken.map(request => request.bodyBytes).join(', ')} bytes`);
  return [
    exactly('six broken transfers: of them happened', broken.length, breaks.length),
    exactly('six broken transfers: status', reading.status, 200),
    exactly('six broken transfers: clean end', Number(reading.clean), 1),
    exactly(
      'six broken transfers: right bytes',
      reading.fits.length === 1 ? reading.bytes : 0,
      sizeBytes,
      'B',
    ),
    orientation('six broken transfers: bytes from the store beyond the object', bodyBytes - sizeBytes, 'B'),
    orientation('six broken transfers: store requests', requests.length),
  ];
}
