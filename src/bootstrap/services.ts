import type { PlatformFacts } from '#src/components/component.ts';
import { components } from '#src/components/index.ts';
import { about } from './about.ts';
import { producers } from './definitions.ts';
import type { Settings } from './settings.ts';

/** Returns, by component, the services of its own handlers. */
export async function servicesOf(
  settings: Pick<Settings, 'components'>,
  ports: Omit<PlatformFacts, 'version' | 'producers'>,
): Promise<Readonly<Record<string, unknown>>> {
  const facts: PlatformFacts = { version: about.programVersion, producers, ...ports };
  const entries = components.map(async ({ name, services }) => {
    const part = await services?.();
    return [name, part?.createServices(settings.components[name] ?? {}, facts)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
