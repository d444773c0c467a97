/** Maps the charset labels in mail to charsets. */
import { encodingExists } from 'iconv-lite';

/** Node decodes `web` charsets (the Encoding Standard), iconv-lite decodes `iconv`, and `charset.ts` decodes `own`. */
export type Charset = { name: string; decoder: 'own' | 'web' | 'iconv' };

/**
 * Finds the charset of a label. Accepts quotes, an RFC 2231 language tag, upper case and vendor prefixes.
 * @returns null for an unknown label
 */
export function resolveCharset(label: string): Charset | null {
  const plain = label
    .slice(0, LABEL_CHARS_MAX)
    .toLowerCase()
    .replace(/[*].*/s, '')
    .replace(/["'\s,;]/g, '');
  const squeezed = plain.replace(/^(?:x-|cs)/, '').replace(/[^a-z0-9]/g, '');
  const alias = ALIASES.get(squeezed);
  if (alias !== undefined) return alias;
  for (const candidate of [plain, plain.replace(/^x-/, ''), plain.replace(/^(?:cp|win|ms)-?(?=125\d$)/, 'windows-')]) {
    // Mail uses this label for an unknown charset. Decoding would map its bytes to private characters.
    if (candidate === 'x-user-defined') continue;
    try {
      return { name: new TextDecoder(candidate).encoding, decoder: 'web' };
    } catch {
      // The Encoding Standard lacks this label: try the next spelling, then iconv-lite.
    }
  }
  return CODE_PAGE.test(squeezed) && encodingExists(squeezed) ? { name: squeezed, decoder: 'iconv' } : null;
}

const LABEL_CHARS_MAX = 100;

/** iconv-lite also accepts encodings that are not charsets, such as base64 and hex. */
const CODE_PAGE =
  /^(?:(?:cp|ibm|mac|iso8859|iso885|koi8|windows|win)[a-z0-9]{1,12}|viscii|tcvn|armscii8|rk1048|hproman8)$/;

/**
 * Labels that the Encoding Standard lacks or reads too narrowly, as `resolveCharset` squeezes them: in lower case,
 * without separators and without `x-` or `cs`.
 */
const WEB_ALIASES: Readonly<Record<string, string>> = {
  'windows-1252': 'iso88591 88591 iso885911987 latin1 iso8859 cp819 ansi cp1252 windows1252 win1252 1252 cpansi',
  // GB 18030 contains GBK, and GBK contains GB 2312. Mail that is labelled gb2312 uses all of GB 18030.
  gb18030: 'gbk cp936 ms936 windows936 gb180302000 gb180302005',
  'euc-kr': 'ksc56011987 ksc56011989 ksc5601 ks56011987 cp949 ms949 windows949 uhc euckr korean cp51949',
  shift_jis: 'shiftjis sjis cp932 ms932 windows31j mskanji ibm943 cp943c sjisopen',
  'euc-jp': 'eucjp eucjpms cp51932 ujis',
  big5: 'big5 big5hkscs cp950 ms950 windows950 cnbig5 bigfive',
  'windows-874': 'tis620 cp874 iso885911 windows874',
  'iso-8859-8': 'iso88598 iso88598i iso88598e',
  macintosh: 'macroman macintosh mac',
};

/** Charsets with a decoder in `charset.ts`. */
const OWN_ALIASES: Readonly<Record<string, string>> = {
  'us-ascii': 'usascii ascii ansix341968 ansix341986 iso646us us cp367 ibm367 646',
  'utf-8': 'utf8 utf8mb4 utf8n unicode11utf8 cp65001 65001',
  'utf-7': 'utf7 unicode11utf7 unicode20utf7 cp65000',
  gb2312: 'gb2312 gb23121980 gb231280 euccn chinese',
  'iso-2022-jp': 'iso2022jp iso2022jp1 iso2022jp2 iso2022jp3 iso2022jpms cp50220 cp50221 cp50222 junet',
  'iso-2022-kr': 'iso2022kr',
  'hz-gb-2312': 'hzgb2312 hz',
};

const ICONV_ALIASES: Readonly<Record<string, string>> = {
  cp437: '437 pc8codepage437',
  cp850: '850 pc850multilingual',
  cp852: '852 pcp852',
  cp862: '862 pc862latinhebrew',
  pt154: 'ptcp154 pt154 cp154 cyrillicasian',
};

const ALIASES: ReadonlyMap<string, Charset> = new Map([
  ...aliasesOf(WEB_ALIASES, 'web'),
  ...aliasesOf(OWN_ALIASES, 'own'),
  ...aliasesOf(ICONV_ALIASES, 'iconv'),
]);

function aliasesOf(names: Readonly<Record<string, string>>, decoder: Charset['decoder']): [string, Charset][] {
  return Object.entries(names).flatMap(([name, aliases]) =>
    aliases.split(' ').map((alias): [string, Charset] => [alias, { name, decoder }]),
  );
}
