import { createSettingsRules } from './settings.ts';

export const audit = { MetadataIndexCreated: createSettingsRules };
