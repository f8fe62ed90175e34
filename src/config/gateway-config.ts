import type { z } from 'zod';
import type { gatewaySchema } from './gateway-schema.ts';

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** A complete, validated configuration: defaults filled in, durations in `…Ms`, sizes in `…Bytes`. */
export type GatewayConfig = DeepReadonly<z.output<ReturnType<typeof gatewaySchema>>>;

export type BackendConfig = GatewayConfig['backends'][string];
export type BucketConfig = GatewayConfig['buckets'][string];
export type AlertConfig = GatewayConfig['alerts'];
