import { usePlace } from '../session/Guard.tsx';

/** Whether the person may change the settings of the workspace. The service decides the same for each request. */
export function useIsManager(): boolean {
  const { role } = usePlace().workspace;
  return role === 'owner' || role === 'admin';
}
