// what the page uses of uPlot, which a script that the page loads first defines; undefined where it is not installed
interface Plot {
  readonly root: HTMLElement;
  readonly data: readonly (readonly (number | null)[])[];
  readonly cursor: { readonly idx?: number | null };
  setData(data: readonly (readonly (number | null)[])[]): void;
  setSize(size: { readonly width: number; readonly height: number }): void;
  redraw(rebuildPaths?: boolean, recalculateAxes?: boolean): void;
}

declare var uPlot:
  | {
      new (options: object, data: readonly (readonly (number | null)[])[], target: HTMLElement): Plot;
      tzDate(date: Date, timeZone: string): Date;
    }
  | undefined;
