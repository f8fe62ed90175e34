/** A configuration change that one component has prepared. Either `apply` or `cancel` must be called. */
export interface PreparedChange {
  /** All components are prepared: switches to the new configuration and releases what it no longer needs. */
  apply(): void;
  /** Another component refused the change: releases what was prepared. */
  cancel(): void;
}
