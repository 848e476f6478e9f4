/** Resolves to the error of something that must fail. */
export async function caught(failing: Promise<unknown>): Promise<unknown> {
  const NOTHING = Symbol('nothing');
  const error = await failing.then(() => NOTHING).catch((reason: unknown) => reason);
  if (error === NOTHING) throw new Error('It did not fail');
  return error;
}
