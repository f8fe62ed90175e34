import { afterEach, beforeEach, expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { type ChannelStack, startChannelStack } from '../support/channel-stack.ts';

let stack: ChannelStack;

beforeEach(async () => {
  stack = await startChannelStack(() => {
    throw new Error('no card comes back');
  });
});
afterEach(() => stack.close());

/** A card whose link has a target for some systems. */
const linked = (targets: readonly string[]) => ({
  '@type': 'MessageCard',
  '@context': 'https://schema.org/extensions',
  text: 'A link',
  potentialAction: [
    {
      '@type': 'OpenUri',
      name: 'Open it',
      targets: targets.map(os => ({ os, uri: `${stack.adminUrl}/channel?for=${os}` })),
    },
  ],
});

const everySystem = ['default', 'iOS', 'android', 'windows'];

it.each([
  ['an iPhone', 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)', everySystem, 'iOS'],
  ['an Android phone', 'Mozilla/5.0 (Linux; Android 16; Pixel 10)', everySystem, 'android'],
  ['Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)', everySystem, 'windows'],
  ['another system', 'Mozilla/5.0 (X11; Linux x86_64)', everySystem, 'default'],
  ['a system without a target of its own', 'Mozilla/5.0 (Windows NT 10.0)', ['default', 'iOS'], 'default'],
])('a button leads to the URI for %s', async (_, userAgent, targets, wanted) => {
  const browser = await launchBrowser({ colorScheme: 'light', userAgent });
  try {
    const page = await browser.newPage();
    await page.goto(`${stack.adminUrl}/channel`);
    await fetch(stack.webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(linked(targets)),
    });
    const opened = browser.waitForEvent('page', { timeout: 10_000 });
    await page.locator('.ac-pushButton').click({ timeout: 10_000 });
    const other = await opened;
    await other.waitForURL('**/channel?for=*');
    expect(new URL(other.url()).searchParams.get('for')).toBe(wanted);
  } finally {
    await browser.close();
  }
});
