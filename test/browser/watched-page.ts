import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** A page with everything that it should not do. */
export type WatchedPage = Readonly<{
  page: Page;
  /** Requests to another origin, errors of scripts, and what the console reports, such as violations of the policy. */
  complaints: readonly string[];
  /** From the start of the navigation to the first text on the screen. */
  firstPaintMs: () => Promise<number>;
  close: () => Promise<void>;
}>;

export async function watchedPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL: origin, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:'))
      complaints.push(`leaves: ${url}`);
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  return {
    page,
    complaints,
    firstPaintMs: () =>
      page.evaluate(
        `new Promise((resolve) => new PerformanceObserver((list) => {
          for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime);
        }).observe({ type: 'paint', buffered: true }))`,
      ),
    close: () => context.close(),
  };
}
