import { applicationWriteRoutes } from '#commands/access/api/application.ts';
import { tokenRoutes } from '#commands/access/api/token.ts';
import { userWriteRoutes } from '#commands/access/api/user.ts';
import { applicationReadRoutes } from '#queries/access/application.ts';
import { groupReadRoutes } from '#queries/access/group.ts';
import { tokenReadRoutes } from '#queries/access/token.ts';
import { userReadRoutes } from '#queries/access/user.ts';

export const routes = [
  ...userWriteRoutes,
  ...userReadRoutes,
  ...groupReadRoutes,
  ...applicationWriteRoutes,
  ...applicationReadRoutes,
  ...tokenRoutes,
  ...tokenReadRoutes,
];
