/** What an account may do. Patterns may contain `*` (within a segment) and `**`; `!` at the start excludes. */
export interface Grant {
  /** Names of operations such as `GetObject`; `*` for all. */
  readonly actions: readonly string[];
  /** Default: every bucket. */
  readonly buckets?: readonly string[];
  /** Default: every key. For listings, the prefix is checked instead of the key. */
  readonly keys?: readonly string[];
}

/** An account whose signatures the store accepts. */
export interface Account {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Default: everything. */
  readonly grants?: readonly Grant[];
  /** 12 digits; default: the owner of the store. Other accounts are charged in requester-pays buckets. */
  readonly accountId?: string;
}

/** Who sent a request. */
export type StoreCaller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'account'; readonly account: Account };
