import { settingsDecider } from '#commands/settings/settings.ts';

export const deciders = [settingsDecider];
