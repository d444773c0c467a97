import { later } from '../ui/later.tsx';

export const AccountPages = later(async () => (await import('./AccountRoutes.tsx')).AccountRoutes);
