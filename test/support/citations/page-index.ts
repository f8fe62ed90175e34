/** What of a page can be cited. */
export interface PageIndex {
  /** First cells of table rows, with the numbered heading that they stand under (`4` of `## §4 Alerts`), or ''. */
  readonly rows: ReadonlyMap<string, ReadonlySet<string>>;
  /** Headings without their number, and the numbers of the lists directly below them. */
  readonly headings: ReadonlyMap<string, ReadonlySet<string>>;
  /** Numbers of headings, and what is set in bold at the beginning of list items below them. */
  readonly sections: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads what a page in Markdown offers to those who cite it. */
export function indexPage(markdown: string): PageIndex {
  const rows = new Map<string, Set<string>>([['', new Set()]]);
  const headings = new Map<string, Set<string>>();
  const sections = new Map<string, Set<string>>();
  let heading = '';
  let number = '';
  for (const line of markdown.split('\n')) {
    const title = /^#+ (?:§?(\d+)\.? )?(.+)$/.exec(line);
    if (title) {
      [, number = '', heading = ''] = title;
      if (!headings.has(heading)) headings.set(heading, new Set());
      if (number) sections.set(number, new Set());
    }
    const row = /^\s*\| (\d+) \|/.exec(line)?.[1];
    if (row) {
      rows.get('')?.add(row);
      rows.set(number, (rows.get(number) ?? new Set()).add(row));
    }
    const item = /^(\d+)\. /.exec(line)?.[1];
    if (item) headings.get(heading)?.add(item);
    const bold = /^- \*\*(.+?)\*\*/.exec(line)?.[1];
    if (bold) sections.get(number)?.add(bold);
  }
  return { rows, headings, sections };
}
