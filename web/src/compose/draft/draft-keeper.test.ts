import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Desk, openOn, stubStorage } from '../../../../test/worlds/draft-desk.ts';
import { type DraftContent, nothingWritten } from './draft-content.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('text is saved within a second, also during typing', async () => {
  const desk = new Desk();
  const keeper = openOn(desk);
  for (let length = 1; length <= 30; length++) {
    keeper.change({ body: 'x'.repeat(length) });
    await vi.advanceTimersByTimeAsync(100);
    const writtenASecondAgo = Math.max(0, length - 11);
    expect(desk.draft?.body.length ?? 0).toBeGreaterThanOrEqual(writtenASecondAgo);
  }
  expect(desk.puts).toBeLessThanOrEqual(3);
  expect(keeper.read().state).toBe('unsaved');
  await vi.advanceTimersByTimeAsync(1_100);
  expect(keeper.read().state).toBe('saved');
});

test('an empty text deletes its draft', async () => {
  const desk = new Desk();
  const keeper = openOn(desk);
  keeper.change({ body: 'words' });
  await vi.advanceTimersByTimeAsync(1_100);
  keeper.change({ body: '' });
  await vi.advanceTimersByTimeAsync(1_100);
  expect(desk.draft).toBeNull();
  expect(keeper.read().state).toBe('empty');
});

test('an empty text also deletes a draft whose save was not confirmed', async () => {
  const desk = new Desk();
  const keeper = openOn(desk);
  desk.loses = 'answer';
  keeper.change({ body: 'words' });
  await vi.advanceTimersByTimeAsync(1_100);
  desk.loses = 'nothing';
  keeper.change({ body: '' });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(desk.draft).toBeNull();
  expect(keeper.read().state).toBe('empty');
});

test('the composer stays empty when the last save of a text that is being sent fails', async () => {
  const desk = new Desk();
  const keeper = openOn(desk);
  desk.loses = 'request';
  keeper.change({ body: 'words' });
  await vi.advanceTimersByTimeAsync(1_010);
  expect(desk.puts).toBe(1);
  keeper.beginSend();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(keeper.read()).toMatchObject({ state: 'empty', content: { body: '' } });
  keeper.change({ body: 'more' });
  expect(keeper.read().state).toBe('unsaved');
  desk.loses = 'nothing';
  keeper.endSend();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(desk.draft?.body).toBe('more');
});

test('the later of two tabs shows both texts, and its writer chooses', async () => {
  const desk = new Desk();
  const one = openOn(desk);
  one.change({ body: 'one' });
  await vi.advanceTimersByTimeAsync(1_100);
  const other = openOn(desk);
  one.change({ body: 'one and more' });
  await vi.advanceTimersByTimeAsync(1_100);
  other.change({ body: 'another' });
  await vi.advanceTimersByTimeAsync(1_100);
  expect(other.read()).toMatchObject({
    state: 'conflict',
    other: { body: 'one and more' },
    content: { body: 'another' },
  });
  other.change({ body: 'another still' });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(desk.draft?.body).toBe('one and more');
  other.resolve('mine');
  await vi.advanceTimersByTimeAsync(1_100);
  expect(desk.draft?.body).toBe('another still');
});

test('both texts of a conflict can be kept, with their files and the recipients chosen here', async () => {
  const desk = new Desk();
  const one = openOn(desk);
  const other = openOn(desk);
  const [file, second] = ['f', 'g'].map((id) => ({ id }) as DraftContent['files'][number]);
  one.change({ body: 'one', bodyHtml: '<div><b>one</b></div>', files: [file as never], to: ['ann@example.org'] });
  await vi.advanceTimersByTimeAsync(1_100);
  other.change({ body: 'a < b', files: [second as never], to: ['bob@example.org'], areRecipientsChosen: true });
  await vi.advanceTimersByTimeAsync(1_100);
  const { revision } = other.read();
  other.resolve('both');
  await vi.advanceTimersByTimeAsync(1_100);
  const both = {
    body: 'a < b\n\none',
    bodyHtml: '<p>a &lt; b</p><div><b>one</b></div>',
    files: [second, file],
    to: ['bob@example.org'],
  };
  expect(other.read()).toMatchObject({ state: 'saved', other: null, revision: revision + 1, content: both });
  expect(desk.draft).toMatchObject({ body: both.body, bodyHtml: both.bodyHtml });
});

test('a tab without text of its own takes what another tab has saved, and writes on without a conflict', async () => {
  const desk = new Desk();
  const [one, other] = [openOn(desk), openOn(desk)];
  one.change({ body: 'one' });
  await vi.advanceTimersByTimeAsync(1_100);
  other.load(desk.draft);
  other.change({ body: 'one, and two' });
  await vi.advanceTimersByTimeAsync(1_100);
  expect(other.read()).toMatchObject({ state: 'saved', content: { body: 'one, and two' } });
  one.load(desk.draft);
  expect(one.read()).toMatchObject({ state: 'saved', content: { body: 'one, and two' } });
});

test('a scheduled reply comes back above what its author has written on since, and no conflict asks', async () => {
  const desk = new Desk();
  const keeper = openOn(desk);
  const [own, returned] = ['own', 'returned'].map((id) => ({ id }) as DraftContent['files'][number]);
  keeper.change({ body: 'own', bodyHtml: '<p>own</p>', files: [own as never] });
  await vi.advanceTimersByTimeAsync(1_100);
  const { draft } = desk;
  if (draft === null) throw new Error('The text was not saved.');
  const texts = { body: 'returned\n\nown', bodyHtml: '<p>returned</p><br /><p>own</p>', to: ['ann@example.org'] };
  desk.draft = { ...draft, ...texts, attachments: [returned as never, own as never], version: 2 };
  keeper.change({ body: 'own, and more', bodyHtml: '<p>own, and more</p>' });
  await vi.advanceTimersByTimeAsync(3_000);
  const joined = { body: 'returned\n\nown, and more', bodyHtml: '<p>returned</p><p>own, and more</p>' };
  expect(keeper.read()).toMatchObject({
    state: 'saved',
    content: { ...joined, to: ['ann@example.org'], files: [returned, own] },
  });
  expect(desk.draft).toMatchObject({ ...joined, version: 3 });
});

test('a draft that another tab has sent is a conflict, and the text stays', async () => {
  const desk = new Desk();
  const keeper = openOn(desk);
  keeper.change({ body: 'words' });
  await vi.advanceTimersByTimeAsync(1_100);
  desk.draft = null;
  keeper.change({ body: 'words and more' });
  await vi.advanceTimersByTimeAsync(1_100);
  expect(keeper.read()).toMatchObject({ state: 'conflict', other: null, content: { body: 'words and more' } });
  keeper.resolve('mine');
  await vi.advanceTimersByTimeAsync(1_100);
  expect(desk.draft).toMatchObject({ body: 'words and more' });
});

test('a refused text returns above the text written meanwhile', async () => {
  const desk = new Desk();
  const keeper = openOn(desk);
  keeper.change({ body: 'answer' });
  keeper.beginSend();
  expect(keeper.read().content.body).toBe('');
  keeper.change({ body: 'next' });
  keeper.refuseSend({ ...nothingWritten, body: 'answer' }, new TypeError('network'));
  expect(keeper.read().content.body).toBe('answer\n\nnext');
});

test('a sent text whose answer was lost is dropped once its draft is gone, and later text remains', async () => {
  const desk = new Desk();
  const keeper = openOn(desk);
  keeper.change({ body: 'answer' });
  keeper.beginSend();
  const sent = keeper.draftOfSent();
  keeper.change({ body: 'next' });
  await vi.advanceTimersByTimeAsync(100);
  expect(await sent).toEqual({ draftId: 'd', draftVersion: expect.any(Number) });
  desk.draft = null;
  keeper.refuseSend({ ...nothingWritten, body: 'answer' }, new TypeError('network'));
  expect(keeper.read().content.body).toBe('answer\n\nnext');
  await vi.advanceTimersByTimeAsync(3_000);
  expect(keeper.read()).toMatchObject({ state: 'saved', content: { body: 'next' } });
});

test('a text overwrites its own earlier save whose answer was lost', async () => {
  const desk = new Desk();
  const keeper = openOn(desk);
  desk.loses = 'answer';
  keeper.change({ body: 'answer' });
  await vi.advanceTimersByTimeAsync(1_100);
  desk.loses = 'nothing';
  keeper.change({ body: 'answer and more' });
  keeper.beginSend();
  const sent = keeper.draftOfSent();
  await vi.advanceTimersByTimeAsync(200);
  expect(await sent).toEqual({ draftId: 'd', draftVersion: expect.any(Number) });
  expect(desk.draft?.body).toBe('answer and more');
});

test('whatever the network loses, the last text arrives without a conflict', async () => {
  const steps = fc.array(
    fc.record({
      text: fc.option(fc.string({ minLength: 1, maxLength: 5, unit: 'grapheme-ascii' }), { nil: undefined }),
      waitMs: fc.constantFrom(5, 30, 990, 1_010, 1_030, 4_000),
      loses: fc.constantFrom('nothing' as const, 'request' as const, 'answer' as const),
    }),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const desk = new Desk();
      const keeper = openOn(desk);
      let text = '';
      for (const { text: more, waitMs, loses } of taken) {
        desk.loses = loses;
        if (more !== undefined) {
          text += `a${more}`;
          keeper.change({ body: text });
        }
        await vi.advanceTimersByTimeAsync(waitMs);
      }
      desk.loses = 'nothing';
      await vi.advanceTimersByTimeAsync(70_000);
      expect(keeper.read()).toMatchObject({ state: text === '' ? 'empty' : 'saved', content: { body: text } });
      expect(desk.draft?.body ?? '').toBe(text);
    }),
    { numRuns: 500 },
  );
});

test('two tabs that write without a network and die leave both texts, of which the writer chooses', async () => {
  stubStorage();
  const desk = new Desk();
  const tabs = [openOn(desk, 'both'), openOn(desk, 'both')];
  desk.loses = 'request';
  for (const [at, tab] of tabs.entries()) {
    await vi.advanceTimersByTimeAsync(1_100);
    tab.change({ body: `text of tab ${at}` });
  }
  for (const tab of tabs) tab.close();
  desk.loses = 'nothing';
  const next = openOn(desk, 'both');
  await vi.advanceTimersByTimeAsync(1_100);
  expect(next.read()).toMatchObject({ state: 'saved', content: { body: 'text of tab 1' } });
  const last = openOn(desk, 'both');
  expect(last.read()).toMatchObject({
    state: 'conflict',
    content: { body: 'text of tab 0' },
    other: { body: 'text of tab 1' },
  });
  last.resolve('other');
  await vi.advanceTimersByTimeAsync(1_100);
  expect(openOn(desk, 'both').read()).toMatchObject({ state: 'saved', content: { body: 'text of tab 1' } });
});

test('a tab that saves keeps the unsaved text of another tab', async () => {
  stubStorage();
  const desk = new Desk();
  const saving = openOn(desk, 'other');
  const dying = openOn(desk, 'other');
  dying.change({ body: 'of the dying tab' });
  dying.close();
  saving.change({ body: 'of the saving tab' });
  await vi.advanceTimersByTimeAsync(1_100);
  expect(saving.read().state).toBe('saved');
  expect(openOn(desk, 'other').read()).toMatchObject({ state: 'conflict', content: { body: 'of the dying tab' } });
});
