import { afterEach, expect, test } from 'vitest';
import { chooseNamedWorkspace, rememberedWorkspace } from '../session/chosen-workspace.ts';
import { answerWorker } from './desktop-notifications.ts';

afterEach(() => Reflect.deleteProperty(navigator, 'serviceWorker'));

test('a page tells the worker its workspace, and opens what was clicked in the workspace of the notification', async () => {
  const worker = new EventTarget();
  Object.defineProperty(navigator, 'serviceWorker', { configurable: true, value: worker });
  const done: string[] = [];
  const stop = answerWorker({
    workspaceId: 'here',
    choose: (workspaceId) => done.push(`choose ${workspaceId}`),
    navigate: (address) => done.push(`open ${address}`),
  });
  const { port1, port2 } = new MessageChannel();
  const answered = new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
  });
  worker.dispatchEvent(new MessageEvent('message', { data: { kind: 'workspace' }, ports: [port2] }));
  expect(await answered).toBe('here');
  const click = (workspaceId: string, address: string) =>
    worker.dispatchEvent(new MessageEvent('message', { data: { kind: 'open', address, workspaceId } }));
  click('here', '/t/1');
  click('elsewhere', '/t/2');
  stop();
  click('here', '/t/3');
  expect(done).toEqual(['open /t/1', 'choose elsewhere', 'open /t/2']);
});

test('a new tab begins with the workspace that its address names, and drops the name', () => {
  const { href } = window.location;
  window.history.replaceState(null, '', '/t/2?workspace=named&x=1');
  chooseNamedWorkspace();
  const { pathname, search } = window.location;
  expect([rememberedWorkspace(), pathname + search]).toEqual(['named', '/t/2?x=1']);
  window.history.replaceState(null, '', href);
});
