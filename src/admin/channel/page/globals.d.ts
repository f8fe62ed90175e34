import type * as Cards from 'adaptivecards';
import type createMarkdown from 'markdown-it';

// what the two scripts before the page's own put into the global scope
declare global {
  var AdaptiveCards: typeof Cards;
  var markdownit: typeof createMarkdown;
}
