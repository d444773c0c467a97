import './styles/tokens.css';
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/cache.ts';
import { resumeSignOut } from './api/sign-out.ts';
import { listenToKeys } from './commands.ts';
import { applyListWidth } from './lib/list-width.ts';
import { followTheme } from './lib/theme.ts';
import { preloadPage, Routes } from './routes.tsx';
import { chooseNamedWorkspace } from './session/chosen-workspace.ts';
import { followPerson, forgetPerson } from './session/forget.ts';
import { followOtherTabs } from './session/other-tabs.ts';
import { enterAhead } from './shell/enter.ts';
import { forgetPages, keepPages, restorePages } from './tickets/kept/kept-pages.ts';
import { speakAsChosen } from './ui/language.ts';

/** After this time the page is drawn without the kept data or the page's chunk: a browser's database may hang. */
const restoreMsMax = 300;

followTheme();
applyListWidth();
listenToKeys(window);
resumeSignOut();
window.addEventListener('online', resumeSignOut);
followPerson();
followOtherTabs(forgetPerson);
enterAhead(window.location);
void start();

/** No `await` stands at the top level: chunks that import this chunk would wait for its end. */
async function start(): Promise<void> {
  chooseNamedWorkspace();
  // Comes first, as the chunks of the page load their words in the same language.
  const speaking = speakAsChosen();
  const ahead = Promise.allSettled([restorePages(), preloadPage(window.location.pathname)]);
  const late = new Promise((resolve) => setTimeout(resolve, restoreMsMax));
  await Promise.all([speaking, Promise.race([ahead, late])]);
  keepPages();
  const root = document.getElementById('root');
  if (root === null) throw new Error('index.html has no root');
  createRoot(root, { onUncaughtError: crash }).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Routes />
      </QueryClientProvider>
    </StrictMode>,
  );
}

/** React has removed the whole page. The kept pages go, because they may hold the data that the page cannot draw. */
function crash(error: unknown): void {
  reportError(error);
  queryClient.clear();
  void forgetPages();
  void import('./session/crash.tsx').then(({ showCrash }) => showCrash());
}
