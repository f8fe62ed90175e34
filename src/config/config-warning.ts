/** A key whose value is allowed but probably a mistake, and its effect. */
export interface ConfigWarning {
  readonly path: readonly PropertyKey[];
  readonly consequence: string;
}
