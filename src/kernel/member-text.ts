/**
 * Returns the text of a top-level member of JSON that this program wrote, without parsing the whole. No value can be
 * mistaken for the member, because quotation marks inside a JSON string are escaped.
 */
export function memberText(json: string, member: string): string | undefined {
  const from = valueOf(json, member);
  if (from < 0) return undefined;
  const text = json.slice(from, json.indexOf('"', from));
  if (!text.includes('\\')) return text;
  return (JSON.parse(json) as Record<string, string>)[member];
}

/** Searches without the first quotation mark: the search stops at every character like the first one. */
function valueOf(json: string, member: string): number {
  const { length } = member;
  for (let at = json.indexOf(member); at >= 0; at = json.indexOf(member, at + 1)) {
    if (json.charCodeAt(at - 1) === QUOTE && json.startsWith(VALUE, at + length)) {
      return at + length + VALUE.length;
    }
  }
  return -1;
}

const QUOTE = 34;
const VALUE = '":"';
