/**
 * The same text in memory of its own. A text cut out of a request body or put together from pieces keeps all of
 * that alive for as long as it lives itself; what stays resident is detached first.
 */
export const detached = <Text extends string>(text: Text): Text =>
  JSON.parse(JSON.stringify(text)) as Text;
