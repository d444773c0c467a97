import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  forwardedSubject,
  isGenericSubject,
  namedIds,
  normaliseSubject,
  readReplyToken,
  replyAddress,
  signReplyToken,
  threadIds,
} from './threading.ts';

const KEY = 'a key of more than sixteen bytes';
const MESSAGE = '0190d6a0-1234-7abc-8def-0123456789ab';

describe('ids', () => {
  it('are looked for in In-Reply-To first, then from the parent up to the root', () => {
    const mail = { messageId: 'own@a', inReplyTo: ['p@a', 'q@a'], references: ['root@a', 'mid@a', 'p@a', 'own@a'] };
    expect(threadIds(mail)).toEqual(['p@a', 'q@a', 'mid@a', 'root@a']);
    expect(namedIds(mail)).toEqual(['own@a', 'p@a', 'q@a', 'root@a', 'mid@a']);
  });

  it('come without repeats, and without the own id among those to look for', () => {
    const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'));
    fc.assert(
      fc.property(fc.option(fc.constantFrom('a', 'b')), ids, ids, (messageId, inReplyTo, references) => {
        const found = threadIds({ messageId, inReplyTo, references });
        expect(new Set(found).size).toBe(found.length);
        expect(found).not.toContain(messageId);
        const parents = inReplyTo.filter((id) => id !== messageId);
        expect(found.slice(0, new Set(parents).size)).toEqual([...new Set(parents)]);
        expect(new Set(namedIds({ messageId, inReplyTo, references }))).toEqual(
          new Set([...(messageId === null ? [] : [messageId]), ...inReplyTo, ...references]),
        );
      }),
    );
  });
});

describe('subjects', () => {
  it.each([
    ['Re: Fwd:  AW: [x] Broken  printer', '[x] broken printer'],
    ['RE[2]: Broken printer', 'broken printer'],
    ['Réf : Broken printer', 'broken printer'],
    ['回复：订单', '订单'],
    ['Antw (3): SV: broken\u00a0printer', 'broken printer'],
    ['R: Guasto alla pompa', 'guasto alla pompa'],
    ['I: R: Guasto alla pompa', 'guasto alla pompa'],
    ['VL: Rikki', 'rikki'],
    ['返信: 注文', '注文'],
    ['RE: 転送： 注文', '注文'],
    ['회신: 주문', '주문'],
    ['השב: הזמנה', 'הזמנה'],
    ['\u200fהשב\u200f: \u200fהזמנה', 'הזמנה'],
    ['רשב: הזמנה', 'הזמנה'],
    ['رد: طلب', 'طلب'],
    ['ΑΠ: Παραγγελία', 'παραγγελία'],
    ['TL: Vá: szivattyú', 'szivattyú'],
    ['Va\u0301: Rendelés', 'rendelés'],
    ['İLT: Sipariş', 'sipariş'],
    ['Отв: Насос', 'насос'],
    ['Odg: Pumpa', 'pumpa'],
    ['Trả lời: Máy bơm', 'máy bơm'],
    ['ตอบ: ปั๊ม', 'ปั๊ม'],
    ['R2: the droid', 'r2: the droid'],
    ['Vs the pump: who wins', 'vs the pump: who wins'],
    ['Island: a pump', 'island: a pump'],
    ['Regarding: the printer', 'regarding: the printer'],
    ['Re:', ''],
  ])('%s is compared as %s', (subject, expected) => {
    expect(normaliseSubject(subject)).toBe(expected);
  });

  it('normalise to themselves, with any prefixes', () => {
    const subject = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc
        .array(fc.constantFrom('Re:', 're [2]', ':', ' ', 'AW：', 'İ', 'ſ', 'x', 'Fwd:', '\u2126'))
        .map((list) => list.join('')),
    );
    fc.assert(
      fc.property(subject, (text) => {
        const normal = normaliseSubject(text);
        expect(normaliseSubject(normal)).toBe(normal);
        expect(normaliseSubject(`Re: ${text}`)).toBe(normal);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['', 'Re:', 'Re: Help!', 'question', '12345678', 'Hi', 'AW: Rechnung', '(no subject)', '???'])(
    '%j does not identify a conversation',
    (subject) => {
      expect(isGenericSubject(subject)).toBe(true);
    },
  );

  it.each(['Broken printer on floor 3', 'Invoice 4711', 'Order no. 5 is late'])('%j does', (subject) => {
    expect(isGenericSubject(subject)).toBe(false);
  });
});

describe('the subject of a forwarded mail', () => {
  it.each([
    ['Fwd: Lamp', 'Lamp'],
    ['WG: AW: Lamp', 'AW: Lamp'],
    ['FW: Fwd: Re: Lamp', 'Re: Lamp'],
    ['Tr : Lampe', 'Lampe'],
    ['转发：灯', '灯'],
    ['Fwd:', ''],
    ['Re: Fwd: Lamp', null],
    ['AW: Lamp', null],
    ['Forward: Lamp', null],
    ['I lost my lamp', null],
    ['', null],
  ])('%j', (subject, inner) => {
    expect(forwardedSubject(subject)).toBe(inner);
  });
});

describe('reply tokens', () => {
  it('are read from an address in any case', () => {
    const token = signReplyToken(MESSAGE, KEY);
    expect(token).toMatch(/^[a-z2-7]{39}$/);
    const address = replyAddress('Support+old@example.com', token);
    expect(address).toBe(`Support+${token}@example.com`);
    expect(readReplyToken(address!.toUpperCase(), KEY)).toBe(MESSAGE);
    expect(readReplyToken(token, KEY)).toBe(MESSAGE);
  });

  it('are refused with another key or after any change', () => {
    const token = signReplyToken(MESSAGE, KEY);
    expect(readReplyToken(token, `${KEY}!`)).toBeNull();
    for (let at = 0; at < token.length; at++) {
      const changed = token.slice(0, at) + (token[at] === 'b' ? 'c' : 'b') + token.slice(at + 1);
      expect(readReplyToken(`x+${changed}@example.com`, KEY)).toBeNull();
    }
  });

  it('are not found in other text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.emailAddress()), (text) => {
        expect(readReplyToken(text, KEY)).toBeNull();
      }),
    );
  });

  it('are left out when the local part would be too long', () => {
    expect(replyAddress(`${'x'.repeat(24)}@example.com`, signReplyToken(MESSAGE, KEY))).not.toBeNull();
    expect(replyAddress(`${'x'.repeat(25)}@example.com`, signReplyToken(MESSAGE, KEY))).toBeNull();
    expect(replyAddress('nobody', 'x')).toBeNull();
    expect(() => signReplyToken('42', KEY)).toThrow('UUID');
  });
});
