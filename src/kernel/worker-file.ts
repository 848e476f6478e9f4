/** Returns the entry file of a thread, beside the module that starts it: TypeScript in a checkout, JavaScript in the package. */
export const workerFile = (name: string, moduleUrl: string): URL =>
  new URL(`./${name}${moduleUrl.slice(moduleUrl.lastIndexOf('.'))}`, moduleUrl);
