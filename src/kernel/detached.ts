/**
 * Copies a text into its own memory. A text cut from a request body or joined from pieces keeps all of that in memory,
 * so everything that stays in memory is detached first.
 */
export const detached = <Text extends string>(text: Text): Text =>
  JSON.parse(JSON.stringify(text)) as Text;
