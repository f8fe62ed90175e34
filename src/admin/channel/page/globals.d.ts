import type * as Cards from 'adaptivecards';
import type createMarkdown from 'markdown-it';

// globals defined by the two scripts that the page loads first
declare global {
  var AdaptiveCards: typeof Cards;
  var markdownit: typeof createMarkdown;
}
