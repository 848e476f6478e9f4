export type QueryParameters = Readonly<
  Record<string, QueryValue | Readonly<Record<string, QueryValue>>>
>;

type QueryValue = string | number | boolean | undefined;

/** Fills in a path such as `/v1/organizations/{organization_id}`. Members of an object are parameters of their own. */
export function requestUrl(
  base: string,
  template: string,
  path: Readonly<Record<string, string>> = {},
  query: QueryParameters = {},
): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name] ?? '';
    if (value === '') throw new TypeError(`The path ${template} needs ${name}.`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const pairs = typeof value === 'object' ? Object.entries(value) : [[name, value] as const];
    for (const [key, one] of pairs) if (one !== undefined) search.append(key, String(one));
  }
  const suffix = search.size === 0 ? '' : `?${search.toString()}`;
  return base.replace(/\/+$/, '') + filled + suffix;
}
