import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';

const retriesMax = 3;

/** A request that came too often (429) may be repeated in a moment, so it does not count. */
const isRefusal = ({ status }: ApiError) => status < 500 && status !== 429;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      gcTime: 30 * 60_000,
      // What the service refused it refuses again; what it could not answer it may answer in a moment.
      retry: (count, error) => count < retriesMax && !(error instanceof ApiError && isRefusal(error)),
      refetchOnWindowFocus: false,
    },
    // Without a network they fail with its reason, instead of waiting unseen for it and doing later what was meant for now.
    mutations: { networkMode: 'always' },
  },
});
