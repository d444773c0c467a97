import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, onTestFinished, vi } from 'vitest';
import { page } from 'vitest/browser';
import { queryClient } from '../src/api/cache.ts';
import { listenToKeys } from '../src/commands.ts';
import { Routes } from '../src/routes.tsx';
import { forgetPerson } from '../src/session/forget.ts';
import { Guard } from '../src/session/Guard.tsx';
import { closeOverlay } from '../src/shell/overlay.ts';
import { speakAsChosen } from '../src/ui/language.ts';
import { type Answers, beginApi, endApi } from './fake-api.ts';
import '../src/styles/tokens.css';
import '../src/styles/base.css';

/** The list draws while it scrolls. React says so only in development. */
const ofDevelopment = /^flushSync was called from inside a lifecycle method/;

/** Draws a component of a workspace's page, as its member sees it. */
export function show(component: ReactNode, answers: Answers): Promise<void> {
  return draw(<Guard>{component}</Guard>, answers);
}

/** Opens a page of the web inbox at its address, on these answers of the API. */
export function openPage(address: string, answers: Answers): Promise<void> {
  window.history.replaceState(null, '', address);
  return draw(<Routes />, answers);
}

let again: () => void = () => undefined;

/** Draws the open page anew, as a reload does. Its modules keep what they know. */
export function drawAnew(): void {
  again();
}

async function draw(shown: ReactNode, answers: Answers): Promise<void> {
  beginApi(answers);
  await page.viewport(1280, 800);
  await speakAsChosen();
  const place = document.body.appendChild(document.createElement('div'));
  place.id = 'root';
  const root = createRoot(place);
  const complaints = vi.spyOn(console, 'error');
  const stopListening = listenToKeys(window);
  onTestFinished(async () => {
    stopListening();
    closeOverlay();
    root.unmount();
    place.remove();
    const unanswered = endApi();
    // The page reads what was answered before it forgets all.
    await new Promise((done) => setTimeout(done));
    await forgetPerson();
    localStorage.clear();
    sessionStorage.clear();
    const said = complaints.mock.calls.filter(([first]) => !ofDevelopment.test(String(first)));
    // Before anything fails, or the next test would tell of this one's faults.
    complaints.mockRestore();
    expect({ complaints: said, unanswered }).toEqual({ complaints: [], unanswered: [] });
  });
  // Without `StrictMode`, which runs each effect twice, as no page in production does.
  const render = () => root.render(<QueryClientProvider client={queryClient}>{shown}</QueryClientProvider>);
  again = () => {
    flushSync(() => root.render(null));
    render();
  };
  render();
}
