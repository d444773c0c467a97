/** PostgreSQL serialises commits with notifications. The spacing makes them so rare that other commits do not wait. */
const spacingMs = 50;

/**
 * Sends at most once per spacing, at once after a longer pause, while something waits. Never sends twice in parallel.
 */
export function openNotifyPace({ hasWaiting, send }: { hasWaiting: () => boolean; send: () => Promise<void> }) {
  let timer: NodeJS.Timeout | undefined;
  let isSending = false;
  let isClosed = false;
  let sentAt = -spacingMs;
  const sendNow = async (): Promise<void> => {
    timer = undefined;
    isSending = true;
    sentAt = performance.now();
    await send();
    isSending = false;
    schedule();
  };
  const schedule = (): void => {
    if (isSending || isClosed || !hasWaiting()) return;
    timer ??= setTimeout(() => void sendNow(), Math.max(sentAt + spacingMs - performance.now(), 0));
  };
  return {
    schedule,
    close: (): void => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
