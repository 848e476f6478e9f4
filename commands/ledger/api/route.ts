import { route as declareRoute } from '#src/http/route.ts';
import { parentsCheck } from './parents.ts';

/** Declares an operation whose large bodies are read only after the organization and ledger in its path are found. */
export const route: typeof declareRoute = (declared) => {
  const declaration = declareRoute(declared);
  const admit = parentsCheck(declaration.path);
  return admit === undefined ? declaration : { ...declaration, admit };
};
