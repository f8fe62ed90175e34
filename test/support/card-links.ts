import type { CardLinks } from '../../src/alerts/card/card.ts';

/** Links of every kind, with tokens as long as signed ones are. */
export const allLinks: CardLinks = {
  source: 'gateway-1',
  statusPageUrl: 'https://gateway.example/',
  runbookUrl: rule => `https://gateway.example/runbook#${rule}`,
  objectUrl: ({ bucket, key }) => `https://gateway.example/objects?${new URLSearchParams({ bucket, key })}`,
  callbacks: {
    url: 'https://gateway.example/callbacks/cards/action',
    signAction: action => Buffer.from(JSON.stringify(action)).toString('base64url').padEnd(400, 'x'),
    restore: true,
  },
};
