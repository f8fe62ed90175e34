import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Notification } from '../../src/alerts/alert.ts';
import { launchBrowser } from '../support/browser.ts';
import { type ChannelStack, startChannelStack } from '../support/channel-stack.ts';
import { sampleAlert } from '../support/notifications.ts';
import { adaptiveEnvelope, everythingCard } from '../support/posted-cards.ts';

let stack: ChannelStack;
let browser: BrowserContext;
let page: Page;
/** Whatever the browser complained of, and every request that left for another place. */
const complaints: string[] = [];

beforeEach(async () => {
  complaints.length = 0;
  stack = await startChannelStack(writeCard);
  stack.alerts.set('a-1', sampleAlert('backendUnreachable', { id: 'a-1', severity: 'critical' }));
  page = await openChannel();
});
afterEach(async () => {
  await Promise.all(
    browser
      .pages()
      .slice(1)
      .map(open => open.close()),
  );
  await stack.close();
});
beforeAll(async () => {
  browser = await launchBrowser({ colorScheme: 'light' });
});
afterAll(() => browser.close());

async function openChannel(size?: { readonly width: number; readonly height: number }): Promise<Page> {
  const opened = await browser.newPage();
  if (size) await opened.setViewportSize(size);
  opened.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  opened.on('pageerror', error => complaints.push(String(error)));
  opened.on('request', request => {
    if (!request.url().startsWith(stack.adminUrl) && !request.url().startsWith('data:')) {
      complaints.push(request.url());
    }
  });
  await opened.goto(`${stack.adminUrl}/channel`);
  await opened.locator('#connection[data-state=live]').waitFor();
  return opened;
}

async function send(card: unknown): Promise<string> {
  const reply = await fetch(stack.webhookUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(card),
  });
  return reply.text();
}

async function post(card: unknown): Promise<void> {
  expect(await send(card)).toBe('1');
}

/** Posts a fifth card and further ones, of which the channel takes four a second. */
const postOneMore = (card: unknown) => expect.poll(() => send(card)).toBe('1');

/** The card of every form element, its buttons leading to the stack's callbacks. */
function writeCard({ alerts }: Notification, { callbackUrl, signAction }: ChannelStack) {
  const [alert] = alerts;
  const token = (action: 'acknowledge' | 'silence') => signAction({ action, alertIds: ['a-1'] });
  const json = JSON.stringify({
    ...everythingCard,
    title: alert?.acknowledgedBy ? `In hand: ${alert.acknowledgedBy}` : 'Backend main does not answer',
  });
  return JSON.parse(
    json
      .replaceAll('http://127.0.0.1:9/callbacks/cards/actions', callbackUrl)
      .replace('token=abc', `token=${token('acknowledge')}`)
      .replace('token=def', `token=${token('silence')}`),
  );
}

const firing = () => writeCard({ kind: 'firing', alerts: [], severity: 'critical', dedupeKey: 'x' }, stack);
const lastMessage = () => page.locator('.message').last();

it('is quiet until a card comes, and shows it without being asked', async () => {
  expect(await page.locator('#empty').isVisible()).toBe(true);
  await post(firing());
  await lastMessage().getByRole('heading', { name: 'Backend main does not answer' }).waitFor();
  expect(await page.locator('#empty').isVisible()).toBe(false);
  expect(await lastMessage().locator('.ac-pushButton').allTextContents()).toEqual([
    'Acknowledge',
    'Silence',
    'Status page',
  ]);
  expect(complaints).toEqual([]);
});

/** How far the stream of cards is from its end, in pixels. */
const toTheEnd = (of: Page) =>
  of.locator('#stream').evaluate(each => each.scrollHeight - each.scrollTop - each.clientHeight);

describe('with more cards than fit on the screen', () => {
  beforeEach(async () => {
    for (let count = 0; count < 4; count++) await post(firing());
  });

  it.each([
    { width: 400, height: 900 },
    { width: 1280, height: 700 },
  ])('opens at the newest card on a screen of $width × $height', async size => {
    const opened = await openChannel(size);
    await opened.locator('.message').nth(3).waitFor();
    expect(
      await opened.locator('#stream').evaluate(each => each.scrollHeight - each.clientHeight),
    ).toBeGreaterThan(200);
    await expect.poll(() => toTheEnd(opened)).toBeLessThan(2);
  });

  it('stays where its reader scrolled to when a card comes, and goes along again from the end', async () => {
    const opened = await openChannel({ width: 400, height: 900 });
    await opened.locator('.message').nth(3).waitFor();
    await expect.poll(() => toTheEnd(opened)).toBeLessThan(2);
    await opened.locator('#stream').hover();
    await opened.mouse.wheel(0, -400);
    await expect.poll(() => toTheEnd(opened)).toBeGreaterThan(300);
    const top = await opened.locator('#stream').evaluate(each => each.scrollTop);
    await postOneMore(firing());
    await opened.locator('.message').nth(4).waitFor();
    expect(await opened.locator('#stream').evaluate(each => each.scrollTop)).toBe(top);
    await opened.mouse.wheel(0, 10_000);
    await expect.poll(() => toTheEnd(opened)).toBeLessThan(2);
    await postOneMore(firing());
    await opened.locator('.message').nth(5).waitFor();
    await expect.poll(() => toTheEnd(opened)).toBeLessThan(2);
  });
});

it('acknowledges: the button asks the gateway, and the card says who has it in hand', async () => {
  await post(firing());
  await lastMessage().getByRole('button', { name: 'Acknowledge' }).click();
  await lastMessage().getByRole('heading', { name: 'In hand: you' }).waitFor();
  expect(await lastMessage().locator('.outcome').textContent()).toBe(
    'Acknowledged: it will not be repeated.',
  );
  expect(await lastMessage().locator('.refreshed').isVisible()).toBe(true);
  expect(stack.alerts.get('a-1')?.acknowledgedBy).toBe('you');
  expect(complaints).toEqual([]);
});

it('silences for as long as was chosen, for the reason that was given', async () => {
  await post(firing());
  await lastMessage().getByRole('button', { name: 'Silence', exact: true }).click();
  await lastMessage().locator('select').selectOption({ label: '4 hours' });
  await lastMessage().locator('textarea').fill('known & worked on: 100% = all');
  const beforeMs = Date.now();
  await lastMessage().getByRole('button', { name: 'Silence it' }).click();
  await lastMessage().locator('.outcome[data-kind=done]').waitFor();
  const [silence] = stack.silences.active();
  expect(silence).toMatchObject({
    rule: 'backendUnreachable',
    by: 'you',
    why: 'known & worked on: 100% = all',
  });
  expect((silence?.untilMs ?? 0) - beforeMs).toBeGreaterThanOrEqual(4 * 3_600_000);
  expect(complaints).toEqual([]);
});

it('silences until a moment, in the time zone of whoever looks', async () => {
  await post(firing());
  await lastMessage().getByRole('button', { name: 'Silence', exact: true }).click();
  const until = new Date(Date.now() + 3 * 86_400_000);
  until.setHours(17, 30, 0, 0);
  const day = [until.getFullYear(), until.getMonth() + 1, until.getDate()].map(part =>
    String(part).padStart(2, '0'),
  );
  await lastMessage().locator('input[type=date]').fill(day.join('-'));
  await lastMessage().locator('input[type=time]').fill('17:30');
  await lastMessage().getByRole('button', { name: 'Silence it' }).click();
  await lastMessage().locator('.outcome[data-kind=done]').waitFor();
  expect(stack.silences.active()).toMatchObject([{ untilMs: until.getTime() }]);
});

it('tells why a button did not work', async () => {
  await post(firing());
  stack.alerts.clear();
  await lastMessage().getByRole('button', { name: 'Acknowledge' }).click();
  await lastMessage().locator('.outcome[data-kind=failed]').waitFor();
  expect(await lastMessage().locator('.outcome').textContent()).toBe('This alert is not known any more.');
});

it('shows text as text, whatever it says', async () => {
  await post({
    text: 'a **bold** <img src=x onerror="document.title=1"> [link](javascript:alert(1)) `code`',
  });
  await lastMessage().locator('strong', { hasText: 'bold' }).waitFor();
  expect(await lastMessage().locator('.card img, .card a[href^=javascript]').count()).toBe(0);
  expect(await lastMessage().locator('.card').textContent()).toContain('<img src=x');
  expect(complaints).toEqual([]);
});

it('shows adaptive cards, their hidden parts and their cards within', async () => {
  const hidden = { type: 'TextBlock', id: 'more', text: 'the rest', isVisible: false };
  const within = { type: 'AdaptiveCard', body: [{ type: 'TextBlock', text: 'what to do' }] };
  const actions = [
    { type: 'Action.ToggleVisibility', title: 'More', targetElements: ['more'] },
    { type: 'Action.ShowCard', title: 'Advice', card: within },
  ];
  await post(adaptiveEnvelope([{ type: 'TextBlock', text: 'Adaptive' }, hidden], { actions }));
  await lastMessage().getByRole('button', { name: 'More' }).click();
  await lastMessage().getByText('the rest').waitFor();
  await lastMessage().getByRole('button', { name: 'Advice' }).click();
  await lastMessage().getByText('what to do').waitFor();
  expect(complaints).toEqual([]);
});

it('shows how full the windows are, and everything once to a page that comes later', async () => {
  for (const text of ['one', 'two', 'three']) await post({ text });
  await page.getByText('3/100 in 1 h').waitFor();
  const later = await openChannel();
  await later.locator('.message').nth(2).waitFor();
  expect(await later.locator('.card').allInnerTexts()).toEqual(['one', 'two', 'three']);
});

it('is dark where people like it dark, and stays readable', async () => {
  await post(firing());
  await lastMessage().locator('.card').waitFor();
  const look = `getComputedStyle(document.querySelector('.card'))`;
  const colours = () => page.evaluate(`[${look}.backgroundColor, ${look}.color]`);
  const light = await colours();
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await colours();
  expect(light).toEqual(['rgb(255, 255, 255)', 'rgb(27, 37, 41)']);
  expect(dark).toEqual(['rgb(31, 41, 45)', 'rgb(240, 243, 244)']);
});

it('shows all of the ring around the button that has the keyboard', async () => {
  await post(firing());
  await lastMessage().locator('.ac-pushButton').first().waitFor();
  await page.keyboard.press('Tab');
  await lastMessage().locator('.ac-pushButton').nth(1).focus({ timeout: 5_000 });
  const ring = `(({ outlineStyle, outlineWidth, outlineOffset }) =>
    [outlineStyle, parseFloat(outlineWidth) + parseFloat(outlineOffset)])(getComputedStyle(document.activeElement))`;
  const [style, outside] = (await page.evaluate(ring)) as [string, number];
  expect(style).toBe('solid');
  expect(outside).toBeLessThanOrEqual(0);
});

it('shows every button whole on a narrow screen', async () => {
  await page.setViewportSize({ width: 340, height: 700 });
  await post(firing());
  const card = await lastMessage().locator('.card').boundingBox();
  const buttons = await lastMessage().locator('.ac-pushButton').all();
  const boxes = await Promise.all(buttons.map(button => button.boundingBox()));
  expect(boxes).toHaveLength(3);
  const cardEnd = (card?.x ?? 0) + (card?.width ?? 0);
  for (const box of boxes) expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(cardEnd);
  expect(new Set(boxes.map(box => box?.y)).size).toBeGreaterThan(1);
});

it('shows all of a fact on a narrow screen', async () => {
  const narrow = await openChannel({ width: 390, height: 900 });
  const facts = [
    { name: 'Last failure', value: `nothing listens there (ECONNREFUSED) ${'and so on '.repeat(20)}` },
  ];
  await post({ ...everythingCard, sections: [{ facts }] });
  const value = narrow.locator('.message .ac-fact-value').first();
  await value.waitFor();
  const hidden = await narrow
    .locator('.message .ac-factset')
    .first()
    .evaluate(set => set.scrollWidth - set.clientWidth);
  const box = await value.boundingBox();
  expect(hidden).toBeLessThanOrEqual(1);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
});
