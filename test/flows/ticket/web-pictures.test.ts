import { afterAll, beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { openServer } from '../../harness/small-server.ts';
import { isFocused, useWebPages } from '../../pages/web-pages.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);
const options = { resolveName: async (name: string) => (name === 'pictures.example' ? ['127.0.0.1'] : []) };
const house = useHouse({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' }, options);
const { openPage, register } = useWebPages(house);

let pictures: Awaited<ReturnType<typeof openServer>>;
beforeAll(async () => {
  pictures = await openServer((_, answer) => answer.writeHead(200).end(png));
});
afterAll(() => pictures?.close());

test('remote pictures load only on request, and through the service', async () => {
  const { page, asked, complaints } = await openPage();
  const owner = await register(page);
  const { port } = new URL(pictures.url);
  const write = (Subject: string) =>
    ingest(house, owner, [
      mailOf({
        headers: { Subject, 'Content-Type': 'text/html' },
        body: `<p>Our lamps</p><img alt="Lamp" src="http://pictures.example:${port}/${Subject}?a=1&amp;b=2">`,
      }),
    ]);
  const lamp = page.frameLocator('iframe:not([hidden])').getByRole('img', { name: 'Lamp' });
  // Its words stand in the place of a picture that is not shown.
  const widthOfLamp = () =>
    lamp.evaluate((picture: any) => (picture.textContent === 'Lamp' ? 0 : picture.naturalWidth));
  const blocked = page.getByText(`An image from pictures.example:${port} is blocked`);
  await write('first');
  await page.getByRole('link', { name: /first/ }).click();
  await blocked.waitFor();
  expect(await widthOfLamp()).toBe(0);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect.poll(widthOfLamp).toBe(1);
  await blocked.waitFor({ state: 'detached' });

  await page.reload();
  await page.getByRole('button', { name: 'Always from this person' }).click();
  await page.getByText('Images from Ann Example are always shown now.').waitFor();
  await expect.poll(widthOfLamp).toBe(1);

  await write('second');
  await page
    .getByRole('region', { name: 'Tickets', exact: true })
    .getByRole('link', { name: /second/ })
    .click();
  await page.getByRole('heading', { name: 'second' }).waitFor();
  await expect.poll(() => lamp.getAttribute('src')).toContain('second');
  await expect.poll(widthOfLamp).toBe(1);
  expect(await blocked.count()).toBe(0);

  // The palette works too: it opens the panel.
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await page.keyboard.type('images from this');
  await page.getByRole('option', { name: /^Images from this person/ }).waitFor();
  await page.keyboard.press('Enter');
  const choice = page.getByRole('checkbox', { name: 'Always show images in their emails' });
  await choice.waitFor();
  await expect.poll(() => isFocused(choice)).toBe(true);
  await expect.poll(() => choice.isChecked()).toBe(true);
  await page.keyboard.press('Space');
  await blocked.waitFor();
  await expect.poll(() => choice.isChecked()).toBe(false);
  await expect.poll(widthOfLamp).toBe(0);
  expect(asked.filter((url) => new URL(url).host === `pictures.example:${port}`)).toEqual([]);
  expect(complaints).toEqual([]);
});
