import type { Route } from '#src/http/route.ts';

export const routes: readonly Route[] = [];
