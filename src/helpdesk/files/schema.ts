import { Type } from 'typebox';
import { ids, nullable, timestamp } from '../../ground/http/schema.ts';

export const attachmentParams = Type.Object({ workspaceId: ids.workspace, attachmentId: ids.attachment });

export const attachmentSchema = Type.Object({
  id: ids.attachment,
  fileName: Type.String(),
  contentType: Type.String(),
  size: Type.Integer(),
  sha256: Type.String(),
  contentId: nullable(Type.String({ description: 'The name of the file in HTML: `<img src="cid:…">`.' })),
  isInline: Type.Boolean({
    description: 'Whether the HTML of its message shows it, as `<img src="cid:…">`. Any other file belongs in a list.',
  }),
  createdAt: timestamp,
  url: Type.String({
    description:
      'Shows the file without a token, for 10 to 20 minutes. ' +
      'It changes only every ten minutes, so that a browser can cache the file.',
  }),
});

/** A file as stored. Each answer adds a new signed address. */
export type StoredAttachment = Omit<Type.Static<typeof attachmentSchema>, 'url'>;

export const signedFileQuery = Type.Object({
  expires: Type.Integer({ minimum: 0, description: 'Unix time in seconds.' }),
  signature: Type.String({ minLength: 1, maxLength: 200 }),
});

/** Only for the OpenAPI document. `read-upload.ts` checks a form as it streams in. */
export const uploadForm = Type.Object({
  file: Type.Unsafe<string>({ type: 'string', format: 'binary', description: 'The file; exactly one.' }),
});

/** Bytes in the OpenAPI document: of any type, unless one is named. */
export const bytes = (description: string, type = '*/*') => ({
  description,
  content: { [type]: { schema: { type: 'string', format: 'binary' } } },
});
