import { Minio } from './minio.ts';
import type { RealStore } from './real-store.ts';
import { Versitygw } from './versitygw.ts';

/** The stores that are tried, each with what starts it. */
export const realStores: readonly (readonly [name: string, start: () => Promise<RealStore>])[] = [
  ['versitygw', () => Versitygw.start()],
  ['MinIO', () => Minio.start()],
];
