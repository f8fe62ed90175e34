import { encodePng, type Pixel } from './png.ts';
import { type Tone, toneColours } from './tone.ts';

const SIZE = 32;
/** Samples along each side of a pixel, for smooth edges. */
const SAMPLES = 4;

interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * A disc in the tone's colour with a white mark, as a data URI: the service fetches pictures from the internet, where
 * the gateway is usually not reachable.
 */
export function toneImage(tone: Tone): string {
  const png = encodePng(SIZE, (column, row) => pixelOf(tone, column, row));
  return `data:image/png;base64,${png.toString('base64')}`;
}

function pixelOf(tone: Tone, column: number, row: number): Pixel {
  let inDisc = 0;
  let inMark = 0;
  for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
    const x = column + ((sample % SAMPLES) + 0.5) / SAMPLES;
    const y = row + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES;
    if (Math.hypot(x - SIZE / 2, y - SIZE / 2) > SIZE / 2 - 1) continue;
    inDisc++;
    if (isMark(tone, { x, y })) inMark++;
  }
  if (inDisc === 0) return [0, 0, 0, 0];
  const white = inMark / inDisc;
  const [red = 0, green = 0, blue = 0] = Buffer.from(toneColours[tone], 'hex').map(channel =>
    Math.round(channel + (255 - channel) * white),
  );
  return [red, green, blue, Math.round((255 * inDisc) / (SAMPLES * SAMPLES))];
}

/** A tick for resolved, an i for info, an exclamation mark otherwise. */
function isMark(tone: Tone, point: Point): boolean {
  if (tone === 'resolved') {
    return (
      isNear(point, { x: 9, y: 16.5 }, { x: 14, y: 21.5 }) ||
      isNear(point, { x: 14, y: 21.5 }, { x: 23, y: 11 })
    );
  }
  const upright = tone === 'info' ? { ...point, y: SIZE - point.y } : point;
  return (
    isNear(upright, { x: 16, y: 8.5 }, { x: 16, y: 17.5 }) ||
    isNear(upright, { x: 16, y: 23 }, { x: 16, y: 23.4 })
  );
}

/** Whether a point is within the stroke of a line. */
function isNear(point: Point, from: Point, to: Point): boolean {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const along = ((point.x - from.x) * dx + (point.y - from.y) * dy) / (dx * dx + dy * dy);
  const nearest = Math.min(1, Math.max(0, along));
  return Math.hypot(point.x - from.x - nearest * dx, point.y - from.y - nearest * dy) <= 1.9;
}
