import type { FirstAccess } from '#commands/access/processes/first-access.ts';
import type { SettingReader } from '#src/kernel/setting-reader.ts';
import { passwordFault } from '#src/resources/access/password.ts';

export type AccessComponentSettings = Readonly<{
  /** The name of the core namespace, with which the names of groups begin. */
  platform: string;
  /** The first administrator and application; undefined if none are set. */
  first: FirstAccess | undefined;
  /** Keeps the secrets of applications that are created from now on, and shows those that were kept. */
  exposesClientSecrets: boolean;
}>;

export const readSettings = (reader: SettingReader): AccessComponentSettings => ({
  platform: reader.text('AUTH_CORE_NAMESPACE', reader.text('PLATFORM', 'quipu')),
  first: readFirst(reader),
  exposesClientSecrets: reader.flag('ACCESS_EXPOSE_CLIENT_SECRET'),
});

function readFirst(reader: SettingReader): FirstAccess | undefined {
  const first = {
    username: reader.text('ACCESS_ADMIN_USERNAME'),
    email: reader.text('ACCESS_ADMIN_EMAIL'),
    password: reader.secret('ACCESS_ADMIN_PASSWORD'),
    clientId: reader.text('ACCESS_ADMIN_CLIENT_ID'),
    clientSecret: reader.secret('ACCESS_ADMIN_CLIENT_SECRET'),
  };
  const { mistakes } = reader;
  const missing = Object.entries(NAMES).filter(
    ([member]) => first[member as keyof FirstAccess] === '',
  );
  if (missing.length === Object.keys(NAMES).length) return undefined;
  if (missing.length > 0) {
    mistakes.push(
      `The first administrator and application need all of ${Object.values(NAMES).join(', ')}`,
    );
    return undefined;
  }
  mistakes.push(...firstAccessMistakes(first));
  return first;
}

/** Returns why nobody can begin with these, in the names of settings. Mistakes never repeat a secret. */
export function firstAccessMistakes(first: FirstAccess): readonly string[] {
  const mistakes: string[] = [];
  if (first.username.length < 3 || first.username.length > 255) {
    mistakes.push('ACCESS_ADMIN_USERNAME must have 3 to 255 characters');
  }
  if (!/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(first.email) || first.email.length > 255) {
    mistakes.push('ACCESS_ADMIN_EMAIL must be an email address');
  }
  const fault = passwordFault(first.password, first);
  if (fault !== undefined) mistakes.push(`ACCESS_ADMIN_PASSWORD ${fault.message}`);
  if (!/^[\w.-]{1,255}$/.test(first.clientId)) {
    mistakes.push('ACCESS_ADMIN_CLIENT_ID must be 1 to 255 letters, digits, _, . and -');
  }
  if (first.clientSecret.length < 32 || first.clientSecret.length > 255) {
    mistakes.push('ACCESS_ADMIN_CLIENT_SECRET must have 32 to 255 characters, best random ones');
  }
  return mistakes;
}

const NAMES: Readonly<Record<keyof FirstAccess, string>> = {
  username: 'ACCESS_ADMIN_USERNAME',
  email: 'ACCESS_ADMIN_EMAIL',
  password: 'ACCESS_ADMIN_PASSWORD',
  clientId: 'ACCESS_ADMIN_CLIENT_ID',
  clientSecret: 'ACCESS_ADMIN_CLIENT_SECRET',
};
