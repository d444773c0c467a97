import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { show } from '../../test/page.tsx';
import { workspaceWith } from '../../test/workspace.ts';
import { Toasts } from './Toasts.tsx';
import { showToast } from './toast.ts';

const toast = (text: string) => page.getByRole('status').getByText(text);

test('a late toast leaves alone the one that can still be undone, and replaces only a late one', async () => {
  await show(<Toasts />, workspaceWith());
  await expect.element(page.getByRole('status')).toBeInTheDocument();
  showToast('#2 closed', { action: { text: 'Undo', run: () => undefined } });
  showToast('Email in #1 sent', { isLate: true });
  await expect.element(toast('Email in #1 sent')).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Undo' })).toBeVisible();
  showToast('Email in #3 sent', { isLate: true });
  await expect.element(toast('Email in #3 sent')).toBeVisible();
  expect(toast('Email in #1 sent').query()).toBeNull();
  await expect.element(toast('#2 closed')).toBeVisible();
  showToast('#4 closed');
  await expect.element(toast('#4 closed')).toBeVisible();
  expect(page.getByRole('status').getByRole('paragraph').elements()).toHaveLength(1);
});

test('a failure that is told late stays, whatever is told after it, and no more than three stay', async () => {
  await show(<Toasts />, workspaceWith());
  await expect.element(page.getByRole('status')).toBeInTheDocument();
  const fail = (text: string) => showToast(text, { isBad: true, stays: true, isLate: true });
  const texts = () =>
    page
      .getByRole('status')
      .getByRole('paragraph')
      .elements()
      .map(({ textContent }) => textContent);
  fail('#1 failed');
  showToast('#2 sent', { isLate: true });
  await expect.poll(texts).toEqual(['#1 failed', '#2 sent']);
  showToast('#3 closed');
  await expect.poll(texts).toEqual(['#1 failed', '#3 closed']);
  for (const text of ['#4 failed', '#5 failed']) fail(text);
  showToast('#6 closed');
  await expect.poll(texts).toEqual(['#1 failed', '#4 failed', '#5 failed', '#6 closed']);
  fail('#7 failed');
  await expect.poll(texts).toEqual(['#4 failed', '#5 failed', '#6 closed', '#7 failed']);
});
