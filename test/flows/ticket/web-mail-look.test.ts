import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { useWebPages } from '../../pages/web-pages.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

/** Four pixels: red, green, blue, black. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAE0lEQVR4nGP4z8DAAMIM/xkYGBgAIeYD/SQ8zPIAAAAASUVORK5CYII=';
const html = { Subject: 'Newsletter', 'Content-Type': 'text/html; charset=utf-8', 'Message-ID': '<one@example.org>' };
const body =
  '<table bgcolor="#ffffff"><tr><td style="color: #222222">Spring <a href="https://shop.example/spring">offers</a>' +
  `<img width="40" height="40" src="data:image/png;base64,${picture}"></td></tr></table>`;

const inMail = (page: Page, script: string) =>
  page.evaluate(`(() => { const mail = document.querySelector('iframe:not([hidden])').contentDocument; ${script} })()`);
/** The lightness of background and text, from 0 to 1, as painted. */
const lightness = (page: Page) =>
  inMail(
    page,
    `const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const of = (colour) => {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
      return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
    };
    const style = (selector) => mail.defaultView.getComputedStyle(mail.querySelector(selector));
    return [of(style('table').backgroundColor), of(style('td').color)];`,
  ) as Promise<[number, number]>;

async function openNewsletter() {
  const { page, complaints } = await openPage({ colorScheme: 'dark' });
  const owner = await register(page);
  await ingest(house, owner, [mailOf({ headers: html, body })]);
  const answer = { Subject: 'Re: Newsletter', 'In-Reply-To': '<one@example.org>', From: 'Bea <bea@example.org>' };
  await ingest(house, owner, [mailOf({ headers: answer, body: 'See https://shop.example/x for the rest.' })]);
  await page.getByRole('link', { name: /Newsletter/ }).click();
  await page.getByRole('article').getByText('for the rest.').first().waitFor();
  return { page, complaints, owner };
}

test('dark mail turns the colours of a mail, and leaves its pictures as they are', async () => {
  const { page, complaints, owner } = await openNewsletter();
  await page.keyboard.press(';');
  const image = page.frameLocator('iframe:not([hidden])').locator('img');
  await image.waitFor();
  const [paper, text] = await lightness(page);
  expect([paper > 0.95, text < 0.2]).toEqual([true, true]);
  await image.evaluate((picture: any) => picture.decode());
  // Without the edges, where the background shines through.
  const paint = async () => {
    const { x, y, width, height } = (await image.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const clip = { x: Math.ceil(x) + 2, y: Math.ceil(y) + 2, width: width - 5, height: height - 5 };
    return (await page.screenshot({ clip })).toString('base64');
  };
  const before = await paint();
  await owner.call('PATCH', '/v1/me/preferences', { darkMail: true });
  await expect.poll(async () => (await lightness(page))[0]).toBeLessThan(0.2);
  expect((await lightness(page))[1]).toBeGreaterThan(0.6);
  expect(await paint()).toBe(before);
  // In the light theme a mail has its own colours.
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(() => lightness(page)).toEqual([paper, text]);
  expect(complaints).toEqual([]);
});

test('a ticket prints with all messages open, without the page around it, and with addresses of links', async () => {
  const { page, complaints } = await openNewsletter();
  // Headless Chromium has no print dialog, and would throw the document away at once.
  await page.evaluate(`
    window.printed = 0;
    const { get } = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, 'contentWindow');
    Object.defineProperty(HTMLIFrameElement.prototype, 'contentWindow', {
      get() {
        if (this.title !== 'Print') return get.call(this);
        return { addEventListener() {}, focus() {}, print: () => { window.printed += 1; } };
      },
    });`);
  await page.keyboard.press('Control+p');
  await expect.poll(() => page.evaluate('window.printed')).toBe(1);
  const paper = page.frameLocator('iframe[title=Print]');
  expect(await paper.locator('h1').textContent()).toBe('Newsletter');
  expect(await paper.locator('article').count()).toBe(2);
  expect(await paper.locator('button, nav, textarea').count()).toBe(0);
  const linkWords = (at: number) =>
    paper
      .locator('a')
      .nth(at)
      .evaluate(
        (link: any) => link.textContent + link.ownerDocument.defaultView.getComputedStyle(link, '::after').content,
      );
  expect(await linkWords(0)).toBe('offers" (https://shop.example/spring)"');
  // A link whose words are its address names it once.
  expect(await linkWords(1)).toBe('https://shop.example/xnone');
  await page.evaluate(`document.querySelector('iframe[title=Print]').remove()`);
  await page.getByRole('article', { name: /Bea/ }).getByRole('button', { name: 'More for this message' }).click();
  await page.getByRole('menuitem', { name: 'Print' }).click();
  await expect.poll(() => page.evaluate('window.printed')).toBe(2);
  expect(await paper.locator('article').count()).toBe(1);
  expect(await paper.locator('article').textContent()).toContain('for the rest.');
  expect(complaints).toEqual([]);
});

test('a link that leads elsewhere than its text says asks first', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  const link = (address: string, text: string) => `<a href="https://${address}">${text}</a>`;
  const mail = `${link('evil.test/login', 'https://bank.example/login')} ${link('bank.example/help', 'bank.example')}`;
  await ingest(house, owner, [mailOf({ headers: { ...html, Subject: 'Your account' }, body: mail })]);
  await page.getByRole('link', { name: /Your account/ }).click();
  const frame = page.frameLocator('iframe:not([hidden])');
  const asked: string[] = [];
  let isAccepted = false;
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void (isAccepted ? dialog.accept() : dialog.dismiss());
  });
  const opened: string[] = [];
  page.context().on('request', (request) => void (request.isNavigationRequest() && opened.push(request.url())));
  const elsewhere = frame.getByRole('link', { name: 'https://bank.example/login' });
  // The question comes with a chunk of its own, which loads with the first mail.
  await expect.poll(async () => [await elsewhere.click(), asked.length][1]).toBe(1);
  opened.length = 0;
  await elsewhere.click({ button: 'middle' });
  const sentence = 'The text of this link says bank.example, but it leads to evil.test. Open it?';
  await expect.poll(() => asked).toEqual([sentence, sentence]);
  await frame.getByRole('link', { name: 'bank.example', exact: true }).click();
  await expect.poll(() => opened).toEqual(['https://bank.example/help']);
  isAccepted = true;
  await elsewhere.click();
  await expect.poll(() => opened).toContain('https://evil.test/login');
  expect(asked).toHaveLength(3);
});
