import { expect, test, vi } from 'vitest';
import { newId, type WorkspaceId } from '../lib/ids.ts';
import { openLog } from '../platform/log.ts';
import { openSignals, type Signal } from './signals.ts';

const payloadBytesMax = 7_900;

function open() {
  const published: string[] = [];
  const signals = openSignals(async (payload) => published.push(payload), openLog('silent'));
  return { published, ...signals };
}

/** A signal of this many bytes as JSON. */
function signalOf(bytes: number): Signal {
  const signal = { workspaceId: newId<WorkspaceId>(), userId: null, event: 'draft', data: { text: '' } };
  signal.data.text = 'x'.repeat(bytes - JSON.stringify(signal).length);
  return signal;
}

test('the largest signal that fits a payload is sent alone, and later signals follow', async () => {
  const { published, send, close } = open();
  const [largest, small] = [signalOf(payloadBytesMax - 2), signalOf(200)];
  send(largest);
  send(small);
  await vi.waitFor(() => expect(published.map((payload) => JSON.parse(payload))).toEqual([[largest], [small]]), 30_000);
  close();
});

test('signals of the same moment share a payload as far as they fit', async () => {
  const { published, send, close } = open();
  const all = Array.from({ length: 100 }, () => signalOf(200));
  for (const signal of all) send(signal);
  await vi.waitFor(() => expect(published.flatMap((payload) => JSON.parse(payload))).toEqual(all), 30_000);
  expect(published).toHaveLength(3);
  expect(Math.max(...published.map((payload) => payload.length))).toBeLessThanOrEqual(payloadBytesMax);
  close();
});

test('a signal that is too large for a payload is dropped', async () => {
  const { published, send, close } = open();
  const small = signalOf(200);
  send(signalOf(payloadBytesMax));
  send(small);
  await vi.waitFor(() => expect(published).toEqual([JSON.stringify([small])]), 30_000);
  close();
});
