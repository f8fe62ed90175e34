/** What a part would do differently with a changed configuration. One of both has to be called. */
export interface PreparedChange {
  /** All others can follow, too: gives up what is not needed any more. */
  apply(): void;
  /** The configuration stays as it is: gives up what was prepared. */
  cancel(): void;
}
