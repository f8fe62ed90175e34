/** Sizes of objects: around the edges of blocks of 64 KiB, of what goes out as text, and larger than an extent. */
const sizes = [0, 1, 7, 100, 16_384, 16_385, 65_535, 65_536, 65_537, 200_000, 1_048_577, 9_000_000] as const;

/** Objects whose every answer is true, whatever becomes of it on the way. */
export const trueKeys: readonly string[] = sizes.map((_, index) => `true/${index}`);

/** The size of the object called `key`; undefined for one that there is not. */
export function sizeOf(key: string): number | undefined {
  return sizes[trueKeys.indexOf(key)];
}

/** Bytes `[from, to)` of an object: every eight of them tell the object and where they stand in it. */
export function bytesOf(key: string, from: number, to: number): Buffer {
  const start = from - (from % 8);
  const words = Buffer.alloc(Math.ceil((to - start) / 8) * 8);
  const id = 0x7a5e0000 + trueKeys.indexOf(key);
  for (let at = 0; at < words.length; at += 8) {
    words.writeUInt32BE(id, at);
    words.writeUInt32BE((start + at) / 8, at + 4);
  }
  return words.subarray(from - start, to - start);
}
