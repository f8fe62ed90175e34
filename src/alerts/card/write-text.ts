import type { TextMessage } from './card.ts';
import type { CardContent } from './card-content.ts';
import type { ContentSection } from './content-sections.ts';
import { joinMarkdown, type Markdown, markdownLink, md } from './markdown.ts';

/** Renders a plain text message (docs/cards.md, Plain text message) in Markdown, with links instead of buttons. */
export function writeText({ title, sections, advice, buttons }: CardContent): TextMessage {
  const links = buttons.flatMap(button =>
    button.kind === 'open' ? [markdownLink(button.name, button.url)] : [],
  );
  const paragraphs = [
    bold(title),
    ...sections.flatMap(sectionParagraphs),
    ...(advice ? [advice] : []),
    ...(links.length > 0 ? [joinMarkdown(links, ' · ')] : []),
  ];
  return { text: joinMarkdown(paragraphs, '\n\n') };
}

function sectionParagraphs({ heading, subtitle, facts, details }: ContentSection): readonly Markdown[] {
  const lines = [...facts, ...details].map(({ name, value }) =>
    joinMarkdown([md`- `, bold(name), md`: `, value], ''),
  );
  return [heading, subtitle, ...(lines.length > 0 ? [joinMarkdown(lines, '\n')] : [])];
}

function bold(text: Markdown): Markdown {
  return joinMarkdown([md`**`, text, md`**`], '');
}
