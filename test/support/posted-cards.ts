/** Connector cards as anybody might post them: all of docs/cards.md, and what docs/cards.md §1 adds. */
export const everythingCard = {
  '@type': 'MessageCard',
  '@context': 'https://schema.org/extensions',
  themeColor: 'D13438',
  summary: 'backend main does not answer',
  title: 'Backend main does not answer',
  text: 'Reads of what is not cached fail until it is back.',
  sections: [
    {
      activityTitle: '**critical** backendUnreachable',
      activitySubtitle: 'since 09:14:02 UTC',
      activityImage: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
      facts: [
        { name: 'Backend', value: 'main' },
        { name: 'Failed attempts', value: '42 in a minute' },
      ],
      markdown: true,
    },
    { text: 'literally *this*', facts: [{ name: 'a_b', value: '<b>' }], markdown: false },
  ],
  potentialAction: [
    {
      '@type': 'HttpPOST',
      name: 'Acknowledge',
      target: 'http://127.0.0.1:9/callbacks/cards/actions',
      body: 'token=abc',
      bodyContentType: 'application/x-www-form-urlencoded',
    },
    {
      '@type': 'ActionCard',
      name: 'Silence',
      inputs: [
        {
          '@type': 'MultichoiceInput',
          id: 'duration',
          title: 'For how long',
          value: '3600000',
          choices: [
            { display: '1 hour', value: '3600000' },
            { display: '4 hours', value: '14400000' },
          ],
        },
        { '@type': 'DateInput', id: 'until', title: 'Or until', includeTime: true },
        { '@type': 'TextInput', id: 'why', title: 'Why', isMultiline: true, maxLength: 200 },
      ],
      actions: [
        {
          '@type': 'HttpPOST',
          name: 'Silence it',
          target: 'http://127.0.0.1:9/callbacks/cards/actions',
          body: 'token=def&duration={{duration.value}}&until={{until.value}}&why={{why.value}}',
          bodyContentType: 'application/x-www-form-urlencoded',
        },
      ],
    },
    {
      '@type': 'OpenUri',
      name: 'Status page',
      targets: [
        { os: 'windows', uri: 'http://127.0.0.1:9/windows' },
        { os: 'default', uri: 'http://127.0.0.1:9/' },
      ],
    },
  ],
};

/** docs/cards.md, Adaptive card envelope, around `body`. */
export function adaptiveEnvelope(body: readonly unknown[], content: Readonly<Record<string, unknown>> = {}) {
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body,
          ...content,
        },
      },
    ],
  };
}
