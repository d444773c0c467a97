import { createRoot } from 'react-dom/client';
import { SessionFrame } from '../session/SessionFrame.tsx';
import { loadWords, words } from '../words/words.ts';
import { Button } from './Button.tsx';

/** Shown in place of a page that a fault in its code has ended. Drafts are kept at each key press. */
export async function showCrash(): Promise<void> {
  await loadWords('later');
  const place = document.createElement('div');
  document.body.append(place);
  createRoot(place).render(
    <SessionFrame title={words('error.title')}>
      <p role="alert">{words('error.crash')}</p>
      <Button onClick={() => window.location.reload()}>{words('banner.reload')}</Button>
    </SessionFrame>,
  );
}
