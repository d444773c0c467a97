import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SseBlock, sseParser } from './sse.ts';

const block = (given: Partial<SseBlock>): SseBlock => ({
  event: 'message',
  data: null,
  id: undefined,
  retryMs: undefined,
  ...given,
});

const stream = [
  '\ufeffretry: 2000\nid: first\n\n',
  ': a sign of life\n\n',
  'event: ticket\r\nid: second\r\ndata: {"a":\r\ndata:1}\r\n\r\n',
  'data\rid\r\rid: with \0 zero\ndata:  two\nunknown: field\n\n',
  'data: cut off',
].join('');

const blocks = [
  block({ retryMs: 2_000, id: 'first' }),
  block({}),
  block({ event: 'ticket', id: 'second', data: '{"a":\n1}' }),
  block({ data: '', id: '' }),
  block({ data: ' two' }),
];

test('blocks are read with every line end, and with or without data', () => {
  expect(sseParser()(stream)).toEqual(blocks);
});

test('it does not matter where the network cuts the stream', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (places) => {
      const parse = sseParser();
      const cuts = [0, ...places.toSorted((a, b) => a - b), stream.length];
      const parts = cuts.slice(1).map((end, at) => stream.slice(cuts[at], end));
      expect(parts.flatMap((part) => parse(part))).toEqual(blocks);
    }),
  );
});
