import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readId, type WorkspaceId } from '../../ground/lib/ids.ts';

/** A question to a customer. */
export type AskKey = { workspaceId: WorkspaceId; askId: string };
/** `ask` is the address of a page. `trap` looks the same, and stands where only programs follow a link. */
type Kind = 'ask' | 'trap';
/** What a page asks its visitor: for an answer, or whether a person gave it. */
export type Step = 'answer' | 'confirm';

/**
 * Signed addresses of the pages on which customers answer, and signed forms on them. Nothing of them is stored, so each
 * attempt to send a mail has the same ones, and no copy of the database gives them away.
 */
export type SurveyLinks = {
  urlOf(key: AskKey, score?: number): string;
  trapOf(key: AskKey): string;
  /** @returns undefined for an address that is not ours */
  read(token: string): (AskKey & { kind: Kind }) | undefined;
  newVisitor(): string;
  /** What the table keeps of a visitor. It tells the same visitor again on the same page alone. */
  hashOf(key: AskKey, visitor: string): string;
  /** The secret of a form: it holds for one page and one visitor, and says when the page was shown. */
  formOf(form: Form): string;
  readForm(text: string, of: Omit<Form, 'step' | 'shownAtMs'>): Pick<Form, 'step' | 'shownAtMs'> | undefined;
  /** The text without our addresses, so that whoever gets it quoted cannot answer for the customer. */
  strip(text: string): string;
};

type Form = AskKey & { visitor: string; step: Step; shownAtMs: number };

const idBytes = 16;
const signatureBytes = 16;
/** Where the pages are, below the public address. */
export const surveyPath = '/s';

/** @param secret shared by all processes; a separate key is derived from it */
export function openSurveyLinks({ secret, publicUrl }: { secret: Uint8Array; publicUrl: string }): SurveyLinks {
  const key = createHmac('sha256', secret).update('kontor survey url 1').digest();
  const sign = (text: string) => createHmac('sha256', key).update(text).digest().subarray(0, signatureBytes);
  const tokenOf = (kind: Kind, { workspaceId, askId }: AskKey): string =>
    Buffer.concat([bytesOf(workspaceId), bytesOf(askId), sign(`${kind}/${workspaceId}/${askId}`)]).toString(
      'base64url',
    );
  const signForm = ({ workspaceId, askId, visitor, step, shownAtMs }: Form) =>
    sign(`form/${workspaceId}/${askId}/${visitor}/${step}/${shownAtMs}`).toString('base64url');
  const begin = `${publicUrl}${surveyPath}/`;
  return {
    urlOf: (ask, score) => `${begin}${tokenOf('ask', ask)}${score === undefined ? '' : `?score=${score}`}`,
    trapOf: (ask) => `${begin}${tokenOf('trap', ask)}`,
    read: (token) => {
      const bytes = Buffer.from(token, 'base64url');
      // Several texts decode to the same bytes: only one of them is the address.
      if (bytes.length !== idBytes * 2 + signatureBytes || bytes.toString('base64url') !== token) return undefined;
      const workspaceId = idIn<WorkspaceId>(bytes, 0);
      const askId = idIn<string>(bytes, idBytes);
      if (workspaceId === undefined || askId === undefined) return undefined;
      const given = bytes.subarray(idBytes * 2);
      const kind = (['ask', 'trap'] as const).find((one) =>
        timingSafeEqual(given, sign(`${one}/${workspaceId}/${askId}`)),
      );
      return kind && { kind, workspaceId, askId };
    },
    newVisitor: () => randomBytes(16).toString('base64url'),
    hashOf: ({ askId }, visitor) => createHash('sha256').update(`${askId}/${visitor}`).digest('base64url'),
    formOf: (form) => `${form.step}.${form.shownAtMs}.${signForm(form)}`,
    readForm: (text, of) => {
      const [step, shown = '', signature = ''] = text.split('.');
      if ((step !== 'answer' && step !== 'confirm') || !/^\d{1,15}$/.test(shown)) return undefined;
      const read = { step, shownAtMs: Number(shown) } as const;
      const [given, expected] = [Buffer.from(signature), Buffer.from(signForm({ ...of, ...read }))];
      return given.length === expected.length && timingSafeEqual(given, expected) ? read : undefined;
    },
    strip: (text) => {
      const [first = '', ...others] = text.split(begin);
      return first + others.map((part) => `${publicUrl}${part.replace(/^[\w-]*(?:\?score=\d)?/, '')}`).join('');
    },
  };
}

function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function idIn<Id extends string>(bytes: Buffer, start: number): Id | undefined {
  const hex = bytes.subarray(start, start + idBytes).toString('hex');
  return readId<Id>([hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-'));
}
