import { createRoot } from 'react-dom/client';
import { Button } from '../ui/Button.tsx';
import { loadWords, words } from '../words/words.ts';
import { SessionFrame } from './SessionFrame.tsx';

/** Shown in place of a page that a fault in its code has ended. Drafts are kept at each key press. */
export async function showCrash(): Promise<void> {
  await loadWords('later');
  const place = document.createElement('div');
  document.body.append(place);
  createRoot(place).render(
    <SessionFrame title={words('error.title')}>
      <p role="alert">{words('crash.text')}</p>
      <Button onClick={() => window.location.reload()}>{words('banner.reload')}</Button>
    </SessionFrame>,
  );
}
