import { describe, expect, it } from 'vitest';
import { decodeCharset } from './charset.ts';
import { parseMail } from './parse.ts';

describe('bytes that are invalid in the named charset', () => {
  it.each([
    ['iso-2022-jp', 'utf-8', Buffer.from('こんにちは')],
    ['iso-2022-jp', 'euc-jp', Buffer.from('a4b3a4f3a4cba4c1a4cf', 'hex')],
    ['iso-2022-jp', 'shift_jis', Buffer.from('82b182f182c982bf82cd', 'hex')],
    ['euc-jp', 'utf-8', Buffer.from('こんにちは')],
  ])('labelled %s are read as %s', (label, _is, bytes) => {
    expect(decodeCharset(bytes, label)).toEqual({ text: 'こんにちは', isCertain: false });
  });

  it.each(['gb2312', 'GBK', 'big5', 'ks_c_5601-1987'])('labelled %s are read as UTF-8 when valid', (label) => {
    expect(decodeCharset(Buffer.from('您好，订单已经发货。'), label).text).toBe('您好，订单已经发货。');
  });

  it('are read by their label when only a few are invalid', () => {
    const bytes = Buffer.concat([Buffer.from('1b24422433244b1b2842', 'hex'), Buffer.from([0x20, 0xe9])]);
    expect(decodeCharset(bytes, 'iso-2022-jp').text).toBe('こに \ufffd');
  });
});

it('never guesses when all bytes are valid in the named charset', () => {
  // These bytes are valid UTF-8 too: Ê and another letter.
  expect(decodeCharset(Buffer.from('cabfcabf', 'hex'), 'gb2312')).toEqual({ text: '士士', isCertain: true });
  expect(decodeCharset(Buffer.from('ä'), 'iso-8859-1').text).toBe('Ã¤');
  expect(decodeCharset(Buffer.from('81308130', 'hex'), 'gb2312').text).toBe('\x80');
});

it('uses the last of two escapes in a row', () => {
  const bytes = Buffer.from('1b244224331b28421b2442244b1b2842', 'hex');
  expect(decodeCharset(bytes, 'iso-2022-jp')).toEqual({ text: 'こに', isCertain: true });
});

describe('charsets that the Encoding Standard leaves out', () => {
  it.each([
    ['ibm437', '8184', 'üä'],
    ['IBM850', '9be1', 'øß'],
    ['cp852', 'a59b', 'ąŤ'],
    ['cp862', '8081', 'אב'],
    ['csPC862LatinHebrew', '8081', 'אב'],
    ['PTCP154', '8098a1', 'ҖҳЎ'],
    ['cp1125', '8081', 'АБ'],
  ])('%s', (label, hex, expected) => {
    expect(decodeCharset(Buffer.from(hex, 'hex'), label)).toEqual({ text: expected, isCertain: true });
  });

  it('do not include encodings that are not charsets', () => {
    expect(decodeCharset(Buffer.from('aGVsbG8='), 'base64')).toEqual({ text: 'aGVsbG8=', isCertain: false });
  });
});

it('reports an unknown charset as a defect', async () => {
  const raw = Buffer.from('From: eva@home.example\nContent-Type: text/plain; charset=klingon\n\nqap\xe9', 'latin1');
  const { text, defects } = await parseMail(raw);
  expect(text).toBe('qapé');
  expect(defects).toContain('a charset that nobody knows');
});
