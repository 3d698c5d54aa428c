/**
 * Reads all pages of an API that is down now and then.
 *
 *     vibe-engine run flaky-api.ts --input '{ "url": "https://api.example.com/issues", "pages": 40 }'
 *     vibe-engine resume        # when it gave up, or was killed: pages that were read are not read again
 *
 * What may pass is tried again, waiting longer each time; what will not, such as 404, fails at once.
 */
import { defineTask } from 'vibe-engine';

interface Input {
  readonly url: string;
  readonly pages: number;
}

class HttpError extends Error {
  readonly status: number;

  constructor(status: number, url: string) {
    super(`${url} answered ${status}`);
    this.status = status;
  }
}

const retry = {
  attempts: 4,
  first_delay_ms: 200,
  factor: 3,
  when: (error: unknown) => !(error instanceof HttpError) || error.status === 429 || error.status >= 500,
};

export default defineTask('flaky-api', async (task, { url, pages }: Input) => {
  const items: unknown[] = [];
  for (let page = 1; page <= pages; page++) {
    const read = ({ signal }: { signal: AbortSignal }) => readPage(`${url}?page=${page}`, signal);
    items.push(...(await task.step(`page ${page}`, read, { retry, timeout_ms: 30_000 })));
    await task.progress(Math.round((100 * page) / pages), `read page ${page} of ${pages}`);
  }
  return { items: items.length, last: items.at(-1) ?? null };
});

async function readPage(url: string, signal: AbortSignal): Promise<unknown[]> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new HttpError(response.status, url);
  return (await response.json()) as unknown[];
}
