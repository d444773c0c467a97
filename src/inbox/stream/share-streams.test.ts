import { expect, test } from 'vitest';
import { inventedId } from '../../../test/worlds/factories.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { streamToEnd } from './share-streams.ts';

const of = (workspace: string, isClosed = false) => ({
  isClosed,
  holder: { workspaceId: inventedId<WorkspaceId>(workspace) },
});
const [a, b] = ['a', 'b'].map((name) => inventedId<WorkspaceId>(name)) as [WorkspaceId, WorkspaceId];

test('below the limit nothing ends, and closed streams do not count', () => {
  expect(streamToEnd([of('a'), of('a', true), of('a')], b, 3)).toBeNull();
});

test('the oldest stream of the largest workspace makes room for a smaller one', () => {
  const streams = [of('b'), of('a'), of('a'), of('a')];
  expect(streamToEnd(streams, b, 4)).toBe(streams[1]);
  expect(streamToEnd(streams, inventedId('c'), 4)).toBe(streams[1]);
});

test('the largest workspace gets no more, and equal workspaces do not end each other', () => {
  expect(streamToEnd([of('b'), of('a'), of('a'), of('a')], a, 4)).toBeUndefined();
  expect(streamToEnd([of('b'), of('a'), of('a')], b, 3)).toBeUndefined();
});
