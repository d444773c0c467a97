import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { rewrite, startWriting, textOf, useWritingPages } from '../../pages/writing-pages.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, openTicket, elsewhere } = useWritingPages(house);

test('a draft outlives its tab, here and on another computer, and two tabs lose neither text', async () => {
  const { page, complaints } = await openPage();
  await openTicket(page, 'Draft');
  const address = page.url();
  const saved = page.waitForResponse((response) => response.url().endsWith('/drafts/answer') && response.ok());
  await startWriting(page);
  await page.keyboard.type('Half an answer');
  await page.getByRole('button', { name: 'Show what goes below your text' }).click();
  await page.getByRole('button', { name: 'Quote: Include previous message' }).click();
  await page.getByRole('menuitemradio', { name: 'Include all messages' }).click();
  await saved;
  await page.getByText('Saved', { exact: true }).waitFor();
  await textOf(page).pressSequentially(', and more');
  // At once, without a notice to the page.
  const next = await page.context().newPage();
  await page.close({ runBeforeUnload: false });
  await next.goto(address);
  await expect.poll(() => textOf(next).textContent()).toBe('Half an answer, and more');
  await next.getByText('Saved', { exact: true }).waitFor();
  const other = await elsewhere(next);
  await other.goto(address);
  await expect.poll(() => textOf(other).textContent()).toBe('Half an answer, and more');
  await other.getByRole('button', { name: 'Show what goes below your text' }).click();
  await other.getByRole('button', { name: 'Quote: Include all messages' }).waitFor();
  await rewrite(other, 'Written elsewhere');
  await other.getByText('Saved', { exact: true }).waitFor();
  await rewrite(next, 'Written here');
  const conflict = next.getByRole('alert').filter({ hasText: 'Written elsewhere' });
  await conflict.getByText('Written here').last().waitFor();
  await conflict.getByRole('button', { name: 'Keep this text' }).first().click();
  await next.getByText('Saved', { exact: true }).waitFor();
  await other.reload();
  await expect.poll(() => textOf(other).textContent()).toBe('Written here');
  await rewrite(other, 'From there');
  await other.getByText('Saved', { exact: true }).waitFor();
  await rewrite(next, 'From here');
  await next.getByRole('button', { name: 'Keep both, one below the other' }).click();
  await next.getByText('Saved', { exact: true }).waitFor();
  expect(await textOf(next).textContent()).toMatch(/^From here\s*From there\s*$/);
  expect(complaints).toEqual([]);
});

test('an answer is formatted by keys, sent as HTML and text, and restored unchanged by undo', async () => {
  const { page, complaints } = await openPage();
  await openTicket(page, 'Formatted');
  const { keyboard } = page;
  // The text area takes the first keys, even before the editor has loaded.
  await keyboard.press('r');
  await keyboard.type('Dear Ann, ');
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  await keyboard.press('Control+b');
  await keyboard.type('switch');
  await keyboard.press('Control+b');
  await keyboard.type(' it off:');
  await keyboard.press('Enter');
  await keyboard.press('Control+Shift+8');
  await keyboard.type('the plug');
  await keyboard.press('Control+Shift+k');
  await page.getByLabel('Address of the link').fill('example.org/help');
  await keyboard.press('Enter');
  const html = () => textOf(page).innerHTML();
  const before = await html();
  expect(before).toContain('<p>Dear Ann, <strong>switch</strong> it off:</p><ul>');
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/messages'));
  await keyboard.press('Control+Enter');
  expect((await sent).postDataJSON()).toMatchObject({
    body: 'Dear Ann, switch it off:\n- the plughttps://example.org/help',
    bodyHtml:
      '<div>Dear Ann, <b>switch</b> it off:</div>' +
      '<ul><li>the plug<a href="https://example.org/help">https://example.org/help</a></li></ul>',
  });
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect.poll(html).toBe(before);
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.reload();
  await expect.poll(html).toBe(before);
  expect(complaints).toEqual([]);
});

test('recipients are chips, files and pictures are attached, and notes notify colleagues', async () => {
  const { page, complaints } = await openPage();
  const owner = await openTicket(page, 'People and files');
  await ingest(house, owner, [mailOf({ headers: { From: 'Bob Baker <bob@example.net>', Subject: 'Another' } })]);
  const { keyboard } = page;
  await keyboard.press('r');
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  await keyboard.type('With a picture: ');
  await page.evaluate(`(() => {
    const base64 =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], 'screen.png', { type: 'image/png' }));
    const options = { clipboardData: data, bubbles: true, cancelable: true };
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', options));
  })()`);
  const pictureWidth = () => page.evaluate('document.querySelector("[contenteditable] img")?.naturalWidth');
  await expect.poll(pictureWidth).toBe(1);
  const chosen = page.waitForEvent('filechooser');
  await keyboard.press('Control+Shift+u');
  await (await chosen).setFiles({ name: 'log.txt', mimeType: 'text/plain', buffer: Buffer.from('lines') });
  await page.getByRole('list', { name: 'Files' }).getByText('log.txt').waitFor();
  await keyboard.press('Control+Shift+c');
  await page.getByRole('combobox', { name: 'Cc' }).fill('bak');
  await page.getByRole('option', { name: /Bob Baker/ }).waitFor();
  await keyboard.press('Enter');
  const { email } = await (await page.request.get('/v1/me')).json().then(({ user }) => user);
  await page.getByRole('combobox', { name: 'Cc' }).fill(email);
  await keyboard.press('Enter');
  await page.getByText('Ada is on your team. Write an internal note instead?').waitFor();
  await page.getByRole('button', { name: `Remove ${email}` }).click();
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/messages'));
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const body = (await sent).postDataJSON();
  expect(body).toMatchObject({
    toAddresses: ['ann@example.org'],
    ccAddresses: expect.arrayContaining(['bob@example.net']),
  });
  expect(body.attachmentIds).toHaveLength(2);
  expect(body.bodyHtml).toMatch(/^<div>With a picture: <img src="cid:[^"]+@kontor" alt="screen.png"><\/div>$/);
  // Undo restores all of it.
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect.poll(pictureWidth).toBe(1);
  await page.getByRole('list', { name: 'Files' }).last().getByText('log.txt').waitFor();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('files dropped anywhere on the page are attached, and one that is too large says what to do', async () => {
  const { page, complaints } = await openPage();
  await openTicket(page, 'Dropped');
  const address = page.url();
  const drag = (kind: string, place: string, size = 5) =>
    page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(${size})], 'plan.txt', { type: 'text/plain' }));
      const options = { dataTransfer: data, bubbles: true, cancelable: true };
      const event = new DragEvent(${JSON.stringify(kind)}, options);
      return document.querySelector(${JSON.stringify(place)}).dispatchEvent(event);
    })()`);
  expect(await drag('dragover', 'nav')).toBe(false);
  await page.getByText('Drop the files to attach them').waitFor();
  expect(await drag('drop', 'nav')).toBe(false);
  await page.getByText('Drop the files to attach them').waitFor({ state: 'detached' });
  await page.getByRole('list', { name: 'Files' }).getByText('plan.txt').waitFor();
  await drag('drop', 'nav', 27_000_000);
  await page.getByText('This file is 25.7 MB, and email takes files up to 25 MB.').waitFor();
  expect(page.url()).toBe(address);
  expect(complaints).toEqual([]);
});

test('a message is forwarded to another person', async () => {
  const { page, complaints } = await openPage();
  await openTicket(page, 'Passed on');
  const { keyboard } = page;
  await keyboard.press('f');
  await page.getByText('Forwards the message from Ann Example.').waitFor();
  await page.getByText('Saved', { exact: true }).waitFor();
  // On another computer the draft still forwards the message, and has no recipient yet.
  const other = await elsewhere(page);
  await other.goto(page.url());
  await other.getByText('Forwards the message from Ann Example.').waitFor();
  expect(await other.getByRole('button', { name: 'Remove ann@example.org' }).count()).toBe(0);
  await page.getByRole('combobox', { name: 'To' }).fill('expert@example.net');
  await keyboard.press('Enter');
  const sent = page.waitForResponse((response) => response.url().endsWith('/messages'));
  await page.getByRole('region', { name: 'Reply' }).getByRole('button', { name: 'Forward', exact: true }).click();
  expect((await sent).status()).toBe(201);
  expect(complaints).toEqual([]);
});

test('a mail begins a ticket, from a draft that outlives its page', async () => {
  const { page, complaints } = await openPage();
  await openTicket(page, 'There already');
  await page.keyboard.press('c');
  await page.getByRole('heading', { name: 'New ticket' }).waitFor();
  await page.getByRole('combobox', { name: 'To' }).and(page.locator(':focus')).waitFor();
  // The list stays beside the card, and the card can be put away.
  await page.getByRole('button', { name: 'Close. The draft is kept.' }).click();
  await page.getByRole('heading', { name: 'New ticket' }).waitFor({ state: 'detached' });
  await page
    .getByRole('region', { name: 'Tickets', exact: true })
    .getByRole('link', { name: /There already/ })
    .waitFor();
  await page.keyboard.press('c');
  await page.getByRole('button', { name: 'Cc', exact: true }).click();
  await page.getByRole('combobox', { name: 'Cc', exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'To' }).fill('ann@example.org');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: '#1 There already' }).waitFor();
  await page.getByLabel('Subject').fill('Your order');
  await startWriting(page);
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  await page.keyboard.type('It is on its way.');
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.reload();
  await expect.poll(() => textOf(page).textContent()).toBe('It is on its way.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.waitForURL('**/t/2*');
  await page.getByRole('heading', { name: 'Your order' }).waitFor();
  await page.getByText(/^Sending in/).waitFor();
  expect(complaints).toEqual([]);
});
