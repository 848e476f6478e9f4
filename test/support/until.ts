/** Waits for a condition, with a deadline. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  deadlineMs: number,
  what: string,
): Promise<void> {
  const from = performance.now();
  while (!(await holds())) {
    if (performance.now() - from > deadlineMs) {
      throw new Error(`Not within ${deadlineMs} ms: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

const LOOK_MS = 2;
