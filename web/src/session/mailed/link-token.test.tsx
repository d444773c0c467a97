import { Suspense, use } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, onTestFinished, test } from 'vitest';
import { page } from 'vitest/browser';
import { useLinkToken } from './link-token.ts';

function Token() {
  return <p>Token: {useLinkToken()}</p>;
}

function Late({ text }: { text: Promise<string> }) {
  return <p>{use(text)}</p>;
}

test('a page that React renders twice before it shows it keeps the token of its link', async () => {
  window.history.replaceState(null, '', '/reset-password?token=from-the-mail&lang=de');
  const part = Promise.withResolvers<string>();
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  onTestFinished(() => root.unmount());
  root.render(
    <Suspense fallback="Loading">
      <Token />
      <Late text={part.promise} />
    </Suspense>,
  );
  await expect.element(page.getByText('Loading')).toBeVisible();
  part.resolve('Loaded');
  await expect.element(page.getByText('Token: from-the-mail')).toBeVisible();
  await expect.poll(() => window.location.search).toBe('?lang=de');
});
