import type { Attachment } from '../../api/client.ts';
import { type SentForm, sendForm } from '../../api/send-form.ts';
import { randomId } from '../../lib/random-id.ts';

/** @param key the file's idempotency key */
export function upload(
  workspaceId: string,
  file: File,
  key: string,
  onProgress: (share: number) => void,
): SentForm<Attachment> {
  const form = new FormData();
  form.append('file', file, file.name);
  return sendForm(workspaceId, `/v1/workspaces/${workspaceId}/uploads`, { form, key, onProgress });
}

/** Uploads copies of files, for the text of a cancelled message, which keeps the files themselves. */
export async function copyFiles(workspaceId: string, files: readonly Attachment[]): Promise<Attachment[]> {
  return Promise.all(
    files.map(async ({ url, fileName, contentType }) => {
      const { pathname, search } = new URL(url, window.location.origin);
      const bytes = await (await fetch(pathname + search)).blob();
      const copy = new File([bytes], fileName, { type: contentType });
      return upload(workspaceId, copy, randomId(), () => undefined).done;
    }),
  );
}
