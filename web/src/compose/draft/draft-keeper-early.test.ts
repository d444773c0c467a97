import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Desk, openOn, stubStorage } from '../../../../test/worlds/draft-desk.ts';
import type { ApiError } from '../../api/client.ts';
import { nothingWritten } from './draft-content.ts';
import { DraftKeeper } from './draft-keeper.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('text typed before the service has answered is kept', async () => {
  const desk = new Desk();
  const keeper = new DraftKeeper(desk.store, 'early');
  keeper.change({ body: 'early' });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(desk.puts).toBe(0);
  keeper.load(null);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(desk.draft?.body).toBe('early');
});

test('text typed before the service has answered goes on from the text that a dead tab left', async () => {
  stubStorage();
  const desk = new Desk();
  const dead = openOn(desk, 'left');
  dead.change({ body: 'saved' });
  await vi.advanceTimersByTimeAsync(1_100);
  dead.change({ body: 'saved, and lost' });
  dead.close();
  const alsoDead = new DraftKeeper(desk.store, 'left');
  alsoDead.change({ body: 'saved, and lost, and early' });
  alsoDead.close();
  const next = openOn(desk, 'left');
  await vi.advanceTimersByTimeAsync(1_100);
  expect(next.read()).toMatchObject({ state: 'saved', content: { body: 'saved, and lost, and early' } });
  expect(desk.draft?.body).toBe('saved, and lost, and early');
});

/** The service has a draft, and the new keeper does not know it yet. */
async function keptBefore(desk: Desk, key: string): Promise<DraftKeeper> {
  const before = openOn(desk);
  before.change({ body: 'before' });
  await vi.advanceTimersByTimeAsync(1_100);
  return new DraftKeeper(desk.store, key);
}

test('text typed before the service has answered is joined below its draft, whether or not the tab dies', async () => {
  for (const isDying of [false, true]) {
    stubStorage();
    const desk = new Desk();
    const early = await keptBefore(desk, 'unseen');
    early.change({ body: 'early' });
    if (isDying) early.close();
    const next = isDying ? new DraftKeeper(desk.store, 'unseen') : early;
    next.load(desk.draft);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(next.read()).toMatchObject({ state: 'saved', content: { body: 'before\n\nearly' } });
    expect(desk.draft?.body).toBe('before\n\nearly');
  }
});

test('text with chosen recipients is joined below a draft without any, and the recipients stay', async () => {
  const desk = new Desk();
  const early = await keptBefore(desk, 'chosen');
  early.change({ body: 'early', to: ['ann@example.org'], areRecipientsChosen: true });
  early.load(desk.draft);
  await vi.advanceTimersByTimeAsync(1_100);
  const content = { body: 'before\n\nearly', to: ['ann@example.org'], areRecipientsChosen: true };
  expect(early.read()).toMatchObject({ state: 'saved', content });
  expect(desk.draft).toMatchObject({ body: content.body, to: content.to });
});

test('recipients chosen before the service has answered are a conflict with others in its draft', async () => {
  const desk = new Desk();
  const before = openOn(desk);
  before.change({ body: 'before', to: ['bob@example.org'], areRecipientsChosen: true });
  await vi.advanceTimersByTimeAsync(1_100);
  const early = new DraftKeeper(desk.store, 'chosen');
  early.change({ body: 'early', to: ['ann@example.org'], areRecipientsChosen: true });
  early.load(desk.draft);
  expect(early.read()).toMatchObject({ state: 'conflict', other: { body: 'before' }, content: { body: 'early' } });
});

test('a text sent before the service has answered returns below its draft, and neither is lost', async () => {
  for (const isToldMeanwhile of [false, true]) {
    const desk = new Desk();
    const early = await keptBefore(desk, 'sent early');
    early.change({ body: 'early' });
    early.beginSend();
    const refused = early.draftOfSent().catch((error: ApiError) => error);
    if (isToldMeanwhile) early.load(desk.draft);
    expect(early.read().content.body).toBe('');
    await vi.advanceTimersByTimeAsync(200);
    const error = await refused;
    expect(error).toMatchObject({ key: 'draft.newer' });
    early.refuseSend({ ...nothingWritten, body: 'early' }, error);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(early.read()).toMatchObject({ state: 'saved', content: { body: 'before\n\nearly' } });
    expect(desk.draft?.body).toBe('before\n\nearly');
  }
});

test('a text sent early is not repeated if its tab dies before the save is answered', async () => {
  stubStorage();
  const desk = new Desk();
  const dead = new DraftKeeper(desk.store, 'dies');
  dead.change({ body: 'early' });
  dead.beginSend();
  desk.loses = 'answer';
  void dead.draftOfSent().catch(() => undefined);
  dead.change({ body: 'next' });
  await vi.advanceTimersByTimeAsync(30);
  dead.close();
  desk.loses = 'nothing';
  const next = openOn(desk, 'dies');
  await vi.advanceTimersByTimeAsync(1_100);
  expect(next.read()).toMatchObject({ state: 'saved', content: { body: 'early\n\nnext' } });
  expect(desk.draft?.body).toBe('early\n\nnext');
});
