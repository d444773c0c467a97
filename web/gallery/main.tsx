import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { speakAsChosen } from '../src/ui/language.ts';
import { loadWords } from '../src/words/words.ts';
import { GalleryPage } from './GalleryPage.tsx';
import '../src/styles/tokens.css';
import '../src/styles/base.css';

/** `?dir=rtl` turns the page round, and `?open=dialog` opens the dialog. */
const wanted = new URLSearchParams(window.location.search);

async function start(): Promise<void> {
  document.documentElement.dir = wanted.get('dir') ?? 'ltr';
  await speakAsChosen();
  await loadWords('later');
  const root = document.getElementById('root');
  if (root === null) throw new Error('gallery.html has no root');
  createRoot(root).render(
    <QueryClientProvider client={new QueryClient()}>
      <GalleryPage isDialogOpen={wanted.get('open') === 'dialog'} />
    </QueryClientProvider>,
  );
}

void start();
