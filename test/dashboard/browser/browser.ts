/**
 * The dashboard in a real browser: one browser for a test file, a context of its own for each test.
 *
 *   const open = inBrowser();
 *   test('…', async () => {
 *     const { page, engine } = await open({ tasks: [letters] });
 *
 * Without a browser the tests are skipped and say so; where CI is set they fail.
 */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Dashboard } from '../../../src/dashboard/server.ts';
import { type Engine, type EngineOptions, openEngine } from '../../../src/engine/engine.ts';
import { configure } from '../../cli/world.ts';
import { tempDirs } from '../../support/temp.ts';
import { type Answered, dashboards, post, type ServedBy } from '../open.ts';
import { findChromium, launch } from './chromium.ts';

export interface OpenOptions
  extends Omit<ServedBy, 'dir'>,
    Pick<EngineOptions, 'tasks' | 'workspace' | 'questions' | 'config'> {
  /** Default: a new, empty project. */
  readonly dir?: string;
  /** Default: `config` says. */
  readonly storage?: 'json' | 'sqlite';
  /** What is there before the page is opened. */
  readonly arrange?: (engine: Engine, dir: string) => Promise<unknown>;
  /** Of the browser: `viewport`, `colorScheme`, `locale`, `reducedMotion` … */
  readonly context?: BrowserContextOptions;
}

export interface Opened {
  readonly page: Page;
  /** The project's directory. */
  readonly dir: string;
  /** In the test's process; the server has its own. */
  readonly engine: Engine;
  readonly server: Dashboard;
  /** What the page complained about: errors, refused by the policy, failed requests. */
  readonly complaints: readonly string[];
  /** A verb, past the page. */
  call<T>(verb: string, args?: object, options?: object): Promise<T>;
  /** Another tab of the same browser, without the key in its address. */
  tab(): Promise<Page>;
  /** Shows a screen: `go('#/care')`. */
  go(address: string): Promise<void>;
  /** The server again after it was closed, on the same port, with a new key. */
  serveAgain(): Promise<Dashboard>;
}

/** To find out why a test failed. */
function shownBy(browser: Browser | undefined): Promise<string>[] {
  const pages = browser?.contexts().flatMap((context) => context.pages()) ?? [];
  return pages.map(async (page) => `${page.url()}\n${await page.locator('body').ariaSnapshot()}`);
}

export function inBrowser(args: readonly string[] = []): (options?: OpenOptions) => Promise<Opened> {
  const tempDir = tempDirs();
  const serveOn = dashboards();
  const closing: (() => Promise<unknown>)[] = [];
  let browser: Browser | undefined;
  let missing = '';

  beforeAll(async () => {
    const found = await findChromium();
    if ('path' in found) {
      browser = await launch(found, args);
      return;
    }
    missing = `no Chromium found (looked at ${found.looked_at.join(', ')}); set VIBE_ENGINE_CHROMIUM`;
    if (process.env.CI) throw new Error(missing);
    console.warn(`skipped: ${missing}`);
  });
  beforeEach((test) => {
    if (!browser) test.skip(missing);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') for (const one of shownBy(browser)) console.warn(await one);
    for (const close of closing.splice(0).reverse()) await close();
  });
  afterAll(() => browser?.close());

  return async ({
    arrange,
    storage = 'json',
    context: wanted = {},
    tasks = [],
    workspace,
    questions,
    config = { persistence: { storage_type: storage } },
    ...given
  } = {}) => {
    const dir = given.dir ?? tempDir();
    if (given.dir === undefined) configure({ dir, config });
    const engine = await openEngine({
      ...{ project_dir: dir, config, tasks, signals: false, automatic_cleanup: false },
      ...(workspace === undefined ? {} : { workspace }),
      ...(questions === undefined ? {} : { questions }),
    });
    closing.push(() => engine.close());
    await arrange?.(engine, dir);
    const served = { ...given, dir };
    const server = await serveOn(served);
    // What moves for a moment would be looked at while it does; that anything moves has a test of its own.
    const context = await browser!.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...wanted });
    closing.push(() => context.close());
    context.setDefaultTimeout(0); // How long a busy machine takes says nothing; the test has a limit of its own.
    const complaints: string[] = [];
    const opened = async (address: string): Promise<Page> => {
      const page = await context.newPage();
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('console', (said) => {
        if (said.type() === 'error') complaints.push(said.text());
      });
      await page.goto(address);
      return page;
    };
    const page = await opened(server.address);
    return {
      ...{ page, dir, engine, server, complaints },
      async call<T>(verb: string, verbArgs: object = {}, options: object = {}) {
        const { data, error }: Answered<T> = await post<T>(server, verb, { args: verbArgs, options });
        if (error) throw Object.assign(new Error(error.message), error);
        return data;
      },
      tab: () => opened(new URL('/', server.address).href),
      go: (to) => page.evaluate(`location.hash = ${JSON.stringify(to)}`),
      serveAgain: () => serveOn({ ...served, port: server.port }),
    };
  };
}
