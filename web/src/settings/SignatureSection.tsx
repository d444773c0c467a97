import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { queryClient } from '../api/cache.ts';
import { api, dataOf } from '../api/client.ts';
import type { WritingBoxHandle } from '../compose/editor/writing-box-props.ts';
import { WritingBox } from '../compose/WritingBox.tsx';
import { usePlace } from '../session/Guard.tsx';
import { preferencesQuery } from '../session/preferences.ts';
import { Action } from '../ui/Action.tsx';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import { Section } from './Section.tsx';

const nothing = () => undefined;

/** The person's signature in this workspace. */
export function SignatureSection() {
  const { workspace } = usePlace();
  const { data } = useQuery(preferencesQuery);
  if (workspace.role === 'viewer' || data === undefined) return null;
  const kept = data.signatures.find(({ workspaceId }) => workspaceId === workspace.id)?.html;
  return <SignatureForm key={workspace.id} kept={kept} />;
}

function SignatureForm({ kept }: { kept: string | undefined }) {
  const { workspace } = usePlace();
  const box = useRef<WritingBoxHandle>(null);
  const [written, setWritten] = useState({ body: '', bodyHtml: kept ?? null });
  const save = async () => {
    const signatures = [{ workspaceId: workspace.id, html: htmlOf(written) }];
    const saved = await dataOf(api.PATCH('/v1/me/preferences', { body: { signatures } }));
    queryClient.setQueryData(preferencesQuery.queryKey, saved);
    showToast(words('signature.saved'));
  };
  return (
    <Section title={words('signature.title')} hint={words('signature.hint', { workspace: workspace.name })}>
      <WritingBox
        handle={box}
        content={{ ...written, files: [] }}
        revision={0}
        label={words('signature.title')}
        isNote={false}
        members={[]}
        onWrite={setWritten}
        onBlur={nothing}
      />
      <Action run={save}>{words('signature.save')}</Action>
    </Section>
  );
}

/** Null without a text. Plain lines stay close together: paragraphs would part them. */
function htmlOf({ body, bodyHtml }: { body: string; bodyHtml: string | null }): string | null {
  if (bodyHtml !== null || body.trim() === '') return bodyHtml;
  const escaped = body.trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<p>${escaped.replaceAll('\n', '<br>')}</p>`;
}
