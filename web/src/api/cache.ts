import { notifyManager, QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';

const retriesMax = 3;

/** The same request would be refused again. A rate limit (429) passes in a moment, so it does not count. */
const isRefusal = ({ status }: ApiError) => status < 500 && status !== 429;

// Before the browser draws. Later, a part of the page that is drawn anyway would show news that the others lack.
notifyManager.setScheduler(queueMicrotask);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      gcTime: 30 * 60_000,
      // A refused request would be refused again. After any other failure a later attempt may succeed.
      retry: (count, error) => count < retriesMax && !(error instanceof ApiError && isRefusal(error)),
      refetchOnWindowFocus: false,
    },
    // Without a network, mutations fail at once. The default would hold them back and run them later, unseen.
    mutations: { networkMode: 'always' },
  },
});
