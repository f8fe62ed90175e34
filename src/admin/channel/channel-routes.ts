import { z } from 'zod';
import { readBody } from '../../transport/read-body.ts';
import type { AdminRoute } from '../admin-route.ts';
import { readJson, sendJson } from '../json.ts';
import { documentRoute } from '../page-document.ts';
import { ownHtml, ownPageFiles } from '../page-file.ts';
import { libraryRoutes } from '../page-libraries.ts';
import type { PageLink } from '../page-navigation.ts';
import type { Channel } from './channel.ts';
import type { LiveMessages } from './live-messages.ts';
import { type CallbackTarget, type PressOutcome, pressButton } from './press-button.ts';

interface ChannelRoutesOptions {
  readonly channel: Channel;
  readonly live: LiveMessages;
  /** When left out, buttons that call back report that callbacks are not configured. */
  readonly callbacks: CallbackTarget | undefined;
  /** The path of the incoming webhook; anyone who knows it can post. */
  readonly webhookPath: string;
  readonly navigation: readonly PageLink[];
}

const noCallbacks: PressOutcome = { kind: 'failed', status: 'Callbacks are not configured.' };
const MAX_POST_BYTES = 64 * 1024;

const HEADER = `<h1><span class="hash" aria-hidden="true">#</span> gateway-alerts</h1>
<p id="connection" class="state" data-state="connecting" role="status">connecting</p>
<ul id="levels" class="levels" aria-label="Posts counted in the service's rate windows"></ul>`;

const buttonPress = z.strictObject({
  message: z.number().int(),
  action: z.array(z.number().int().nonnegative()).min(1).max(2),
  inputs: z.record(z.string(), z.string()),
});

/** The webhook, the page with its files, its message stream and its buttons. */
export function channelRoutes(options: ChannelRoutesOptions): readonly AdminRoute[] {
  const { channel, live, callbacks, webhookPath, navigation } = options;
  return [
    ...pageFiles(navigation),
    { method: 'GET', path: '/channel/events', handle: (_, response) => live.attach(response) },
    {
      method: 'POST',
      path: webhookPath,
      // its path is a secret, and the channel checks the type itself
      isNoForm: () => true,
      async handle(request, response) {
        const body = await readBody(request, MAX_POST_BYTES);
        if (body.kind === 'broken off') return;
        const reply = channel.receive(
          request.headers['content-type'],
          body.kind === 'whole' ? body.bytes : new Uint8Array(MAX_POST_BYTES),
        );
        response.writeHead(reply.status, { 'content-type': 'text/plain; charset=utf-8' }).end(reply.text);
      },
    },
    {
      method: 'POST',
      path: '/channel/actions',
      async handle(request, response) {
        const press = await readJson(request, buttonPress);
        sendJson(response, 200, callbacks ? await pressButton(channel, callbacks, press) : noCallbacks);
      },
    },
  ];
}

/** The page's own files and the two libraries that it uses, read once; nothing is loaded from other hosts. */
function pageFiles(navigation: readonly PageLink[]): readonly AdminRoute[] {
  return [
    documentRoute({
      ...{ path: '/channel', title: 'gateway-alerts · Tidegate', navigation, header: HEADER },
      styles: ['/channel/page/channel.css', '/channel/page/cards.css'],
      libraries: ['/channel/adaptivecards.js', '/channel/markdown-it.js'],
      script: '/channel/page/channel.js',
      body: ownHtml('channel/page/channel.html'),
    }),
    ...ownPageFiles(
      'channel/page/channel.css',
      'channel/page/cards.css',
      'channel/page/channel.js',
      'channel/page/host-config.js',
    ),
    ...libraryRoutes('/channel/adaptivecards.js', 'channel/page/adaptivecards.js'),
    ...libraryRoutes('/channel/markdown-it.js', 'channel/page/markdown-it.js'),
  ];
}
