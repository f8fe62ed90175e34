/** What an account may do; patterns may use `*` (within a segment), `**`, and `!` to take away again. */
export interface Grant {
  /** Names of operations such as `GetObject`; `*` for all. */
  readonly actions: readonly string[];
  /** Default: every bucket. */
  readonly buckets?: readonly string[];
  /** Default: every key. For listings the prefix counts as the key. */
  readonly keys?: readonly string[];
}

/** Somebody whose signature the store knows. */
export interface Account {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Default: everything. */
  readonly grants?: readonly Grant[];
  /** 12 digits; default: the owner of the store. Another one is charged in buckets whose requester pays. */
  readonly accountId?: string;
}

/** Who sent a request. */
export type StoreCaller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'account'; readonly account: Account };
