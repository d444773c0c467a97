import { useEffect } from 'react';
import { ApiError } from '../src/api/client.ts';
import { Button } from '../src/ui/Button.tsx';
import { Disclosure } from '../src/ui/Disclosure.tsx';
import { Empty } from '../src/ui/Empty.tsx';
import { Fault } from '../src/ui/Fault.tsx';
import { Notice } from '../src/ui/Notice.tsx';
import { Toasts } from '../src/ui/Toasts.tsx';
import { closeAllToasts, showToast } from '../src/ui/toast.ts';
import styles from './Gallery.module.css';
import { longText, Part } from './Part.tsx';

const tones = ['info', 'warn', 'bad', 'good'] as const;
const run = () => undefined;
const headers = { 'x-correlation-id': '019ac3d2-7d11-7a7e-b3f4-2f6a7c0a1b2c' };
const broken = new ApiError(new Response(null, { status: 500, headers }), {
  key: 'error.internal',
  params: {},
  fallbackMessage: 'Something went wrong.',
});

export function Messages() {
  useEffect(() => {
    showToast('Ticket #37 is closed', { stays: true, action: { text: 'Undo', key: 'z', run } });
    showToast(longText, { stays: true });
    showToast('The reply could not be sent', { stays: true, isBad: true, action: { text: 'Try again', run } });
    return closeAllToasts;
  }, []);
  return (
    <>
      <Part title="Notice" isWide>
        {tones.map((tone) => (
          <Notice key={tone} tone={tone} action={tone === 'warn' && <Button size="tool">Connect a mailbox</Button>}>
            <p>A notice of the tone “{tone}”.</p>
          </Notice>
        ))}
        <Notice>
          <p>{longText}</p>
        </Notice>
      </Part>
      <Part title="Fault" isWide>
        <Fault error={new TypeError('fetch failed')} onRetry={run} />
        <Fault error={broken} />
      </Part>
      <Part title="Toasts" isWide>
        <div className={styles.window}>
          <Toasts />
        </div>
      </Part>
      <Part title="Empty" isWide>
        <Empty icon="inbox">Nothing waits here. Closed tickets are in their own list.</Empty>
      </Part>
      <Part title="Disclosure" isWide>
        <Disclosure summary="Closed">Its content</Disclosure>
        <Disclosure summary="Open" isOpen>
          <p>{longText}</p>
        </Disclosure>
      </Part>
    </>
  );
}
