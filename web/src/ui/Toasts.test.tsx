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
  showToast('Reply in #1 sent', { isLate: true });
  await expect.element(toast('Reply in #1 sent')).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Undo' })).toBeVisible();
  showToast('Reply in #3 sent', { isLate: true });
  await expect.element(toast('Reply in #3 sent')).toBeVisible();
  expect(toast('Reply in #1 sent').query()).toBeNull();
  await expect.element(toast('#2 closed')).toBeVisible();
  showToast('#4 closed');
  await expect.element(toast('#4 closed')).toBeVisible();
  expect(page.getByRole('status').getByRole('paragraph').elements()).toHaveLength(1);
});
