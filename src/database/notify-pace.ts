/** PostgreSQL lets one commit with a notification through at a time: a process sends so few that nobody waits. */
const spacingMs = 50;

/** Sends at once after a pause, else at the end of it, and goes on while something waits; never two at a time. */
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
