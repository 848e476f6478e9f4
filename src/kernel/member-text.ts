/**
 * Returns the text of a top-level member of JSON that this program wrote, without parsing the whole. No value can be
 * mistaken for the member, because quotation marks inside a JSON string are escaped.
 */
export function memberText(json: string, member: string): string | undefined {
  const name = `"${member}":"`;
  const at = json.indexOf(name);
  if (at < 0) return undefined;
  const from = at + name.length;
  const text = json.slice(from, json.indexOf('"', from));
  if (!text.includes('\\')) return text;
  return (JSON.parse(json) as Record<string, string>)[member];
}
