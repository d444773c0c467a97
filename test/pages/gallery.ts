import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { build, preview } from 'vite';

const web = join(import.meta.dirname, '../../web');

/** Builds the page of all components into the folder, and serves it. */
export async function openGallery(folder: string): Promise<{ url: string; close(): Promise<void> }> {
  const common = {
    root: web,
    mode: 'gallery',
    logLevel: 'warn',
    build: { outDir: folder, emptyOutDir: true },
  } as const;
  await build(common);
  const server = await preview({ ...common, preview: { host: '127.0.0.1', port: 0 } });
  const [url] = server.resolvedUrls?.local ?? [];
  if (url === undefined) throw new Error('the gallery is served nowhere');
  return { url: `${url}gallery.html`, close: () => server.close() };
}

/** Shows the gallery with all states that need a hand: hovered, focused, pending and failed. */
export async function showGallery(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { name: 'Components' }).waitFor();
  for (const button of await page.locator('[data-press]').all()) await button.click();
  await page.getByRole('button', { name: 'Failed' }).and(page.locator(':enabled')).waitFor();
  await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
  const tools = await page.context().newCDPSession(page);
  await tools.send('DOM.enable');
  await tools.send('CSS.enable');
  const { root } = await tools.send('DOM.getDocument', { depth: 0 });
  for (const state of ['hover', 'focus']) {
    const selector = `[data-force=${state}]`;
    const { nodeIds } = await tools.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector });
    const forcedPseudoClasses = state === 'focus' ? ['focus', 'focus-visible'] : ['hover'];
    for (const nodeId of nodeIds) await tools.send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses });
  }
}
