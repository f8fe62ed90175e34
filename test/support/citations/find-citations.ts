/** A citation of one of our pages in a source file. */
interface Citation {
  /** Such as `docs/semantics.md`. */
  readonly page: string;
  /** The text behind the name of the page, in one line. */
  readonly tail: string;
}

const citedPage = /(?:docs\/[\w-]+|README)\.md/g;
const TAIL_LENGTH = 160;

/** The citations in the text of a source file; a comment of several lines is read as one line. */
export function findCitations(source: string): Citation[] {
  const text = source.replace(/\n\s*(?:\*(?!\/)|\/\/)?[ \t]*/g, ' ');
  return [...text.matchAll(citedPage)].map(({ 0: page, index }) => {
    const start = index + page.length;
    const tail = text.slice(start, start + TAIL_LENGTH);
    return { page, tail: tail.split(/[;)'"`]|\*\/|docs\//, 1)[0] ?? '' };
  });
}
