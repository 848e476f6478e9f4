import { statSync } from 'node:fs';
import type { EventSource } from './event-source.ts';
import { eventsOfFile } from './source-file.ts';
import { eventsOfFolder } from './source-folder.ts';
import { eventsOfUrl } from './source-url.ts';

/** Opens the source that an argument names: a URL, a data folder, a file, or stdin. */
export function sourceOf(word: string): EventSource {
  if (/^https?:\/\//.test(word)) return eventsOfUrl(word);
  if (word !== '-' && isFolder(word)) return eventsOfFolder(word);
  return eventsOfFile(word);
}

export const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
