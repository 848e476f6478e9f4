import { NotAsTold } from './not-as-told.ts';
import type { Answer, List } from './views.ts';

export interface Api {
  readonly url: string;
  /** True if the description of the API has an operation of this method whose path ends so. */
  offers(operation: string): boolean;
  get<T>(path: string): Promise<T>;
  /** Whatever the answer is. */
  post<T>(
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer<T>>;
  /** Creates a record. Errors: NotAsTold when the status is not 201. */
  make<T>(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<T>;
  /** Every item of a list, a page at a time. */
  all<T>(path: string): AsyncGenerator<T>;
}

/** The REST API at an address, and nothing else. */
export async function apiOf(url: string): Promise<Api> {
  const get = async <T>(path: string): Promise<T> => {
    const { status, body } = await answered<T>(await fetch(url + path));
    if (status !== 200)
      throw new NotAsTold(`GET ${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const post: Api['post'] = async (path, body, headers = {}) =>
    answered(
      await fetch(url + path, {
        method: 'POST',
        headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  const described = await get<{ paths: Record<string, object> }>('/openapi.json');
  const operations = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

  return {
    url,
    offers(operation) {
      const [method = '', ending = ''] = operation.split(' ');
      return operations.some((one) => one.startsWith(`${method} `) && one.endsWith(ending));
    },
    get,
    post,
    async make<T>(path: string, body?: unknown, headers?: Readonly<Record<string, string>>) {
      const answer = await post<T>(path, body, headers);
      if (answer.status === 201) return answer.body;
      throw new NotAsTold(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    },
    async *all<T>(path: string) {
      let cursor = '';
      do {
        const page = await get<List<T>>(`${path}?limit=100${cursor && `&cursor=${cursor}`}`);
        yield* page.items;
        cursor = page.next_cursor ?? '';
      } while (cursor !== '');
    },
  };
}

async function answered<T>(response: Response): Promise<Answer<T>> {
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as T };
}
