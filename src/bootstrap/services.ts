import { components } from '#src/components/index.ts';
import type { Settings } from './settings.ts';

/** By component, what its own handlers use beyond what every handler is given. */
export async function servicesOf(settings: Settings): Promise<Readonly<Record<string, unknown>>> {
  const entries = components.map(async ({ name, services }) => {
    const part = await services?.();
    return [name, part?.createServices(settings)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
