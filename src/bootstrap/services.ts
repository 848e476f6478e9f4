import { components } from '#src/components/index.ts';
import type { Settings } from './settings.ts';

/** Returns, by component, the services of its own handlers. */
export async function servicesOf(
  settings: Pick<Settings, 'components'>,
): Promise<Readonly<Record<string, unknown>>> {
  const entries = components.map(async ({ name, services }) => {
    const part = await services?.();
    return [name, part?.createServices(settings.components[name] ?? {})] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
