/// <reference lib="dom" />
/** What other sites, other ports and planted markup can do to the dashboard in a real browser: nothing. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defineTask } from '../../../src/engine/api/definition.ts';
import { inBrowser, type Opened } from './browser.ts';

/** A name that a site of an attacker lets point to this machine. */
const open = inBrowser(['--host-resolver-rules=MAP evil.test 127.0.0.1']);

/** Another port of this machine, as any program may have one, with pages of an attacker. */
let other: Server;
let otherOrigin: string;
beforeAll(async () => {
  other = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<p>other'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  otherOrigin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});
afterAll(() => other.close());

async function otherPage({ page }: Opened): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(otherOrigin);
  return tab;
}

const entered = ({ page }: Opened): Promise<void> =>
  page.waitForSelector('h1', { state: 'attached', timeout: 0 }).then(() => {});

test('a rebound name is told that it has the wrong server', async () => {
  const dashboard = await open();
  const tab = await dashboard.page.context().newPage();
  const answer = await tab.goto(`http://evil.test:${dashboard.server.port}/`);
  expect(answer!.status()).toBe(421);
  const fetched = await tab.evaluate(async (key) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const said = await fetch('/api/tasks', { method: 'POST', headers, body: '{}' });
    return said.status;
  }, dashboard.server.key);
  expect(fetched).toBe(421);
});

test('another port can neither read nor send, even with the key', async () => {
  const dashboard = await open();
  const tab = await otherPage(dashboard);
  const { origin } = new URL(dashboard.server.address);
  const tried = await tab.evaluate(
    async ([to, key]) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const outcome = (asked: Promise<Response>): Promise<string> =>
        asked.then(
          ({ type, status }) => `${type} ${status}`,
          () => 'blocked',
        );
      return {
        read: await outcome(fetch(`${to}/api/session`, { headers })),
        page: await outcome(fetch(`${to}/`)),
        sent: await outcome(fetch(`${to}/api/tasks`, { method: 'POST', headers, body: '{}' })),
        blind: await outcome(fetch(`${to}/api/tasks`, { method: 'POST', mode: 'no-cors', body: '{}' })),
        kept: Object.keys(sessionStorage).length + Object.keys(localStorage).length,
      };
    },
    [origin, dashboard.server.key] as const,
  );
  expect(tried).toEqual({ read: 'blocked', page: 'blocked', sent: 'blocked', blind: 'blocked', kept: 0 });
});

test('another port can neither show it in a frame nor take its script', async () => {
  const dashboard = await open();
  const tab = await otherPage(dashboard);
  const { origin } = new URL(dashboard.server.address);
  const framed = await tab.evaluate(async (to) => {
    const frame = document.createElement('iframe');
    frame.src = to;
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
    document.body.append(frame);
    await loaded;
    const script = document.createElement('script');
    script.src = `${to}/app.js`;
    const taken = new Promise((resolve) => {
      script.addEventListener('load', () => resolve('taken'));
      script.addEventListener('error', () => resolve('refused'));
    });
    document.body.append(script);
    return { readable: frame.contentDocument !== null, script: await taken };
  }, origin);
  expect(framed).toEqual({ readable: false, script: 'refused' });
  const inside = tab.frames().find((frame) => frame !== tab.mainFrame())!;
  expect(await inside.locator('h1').count()).toBe(0);
});

test('a window that opened it has no hold on it', async () => {
  const dashboard = await open();
  const tab = await otherPage(dashboard);
  const [popup] = await Promise.all([
    tab.context().waitForEvent('page'),
    tab.evaluate((to) => {
      window.open(to);
    }, dashboard.server.address),
  ]);
  await popup.waitForSelector('h1', { state: 'attached', timeout: 0 });
  expect(await popup.evaluate(() => window.opener === null)).toBe(true);
});

test('no script runs but its own', async () => {
  const dashboard = await open();
  await entered(dashboard);
  const tried = await dashboard.page.evaluate(async () => {
    const outcome = (act: () => void): string => {
      try {
        act();
        return 'done';
      } catch (error) {
        return (error as Error).name;
      }
    };
    const inline = document.createElement('script');
    return {
      inline: outcome(() => {
        inline.text = 'window.planted = true';
        document.body.append(inline);
      }),
      html: outcome(() =>
        document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="planted=true">'),
      ),
      inner: outcome(() => {
        document.body.innerHTML = '<b>planted</b>';
      }),
      // What the tools of the browser call may evaluate text; what it starts may not.
      code: await new Promise((resolve) => {
        const act = (): void => Reflect.get(window, 'eval')('window.planted = true');
        setTimeout(() => resolve(outcome(act)));
      }),
      elsewhere: await fetch('https://example.test/').then(
        () => 'done',
        () => 'blocked',
      ),
      planted: 'planted' in window,
    };
  });
  expect(tried).toMatchObject({
    ...{ inline: 'TypeError', html: 'TypeError', inner: 'TypeError' },
    ...{ elsewhere: 'blocked', planted: false },
  });
  expect(tried.code).not.toBe('done');
});

test('the key is neither in the address nor in the history, and a new tab has it', async () => {
  const dashboard = await open();
  await entered(dashboard);
  const { page, server } = dashboard;
  expect(page.url()).not.toContain(server.key);
  expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
  await page.goBack().catch(() => {});
  expect(page.url()).not.toContain(server.key);
  await page.goForward().catch(() => {});
  const tab = await dashboard.tab();
  await expect
    .poll(() => tab.evaluate(() => Object.values(sessionStorage)).catch(() => []))
    .toContain(server.key);
  expect((await page.context().cookies()).length).toBe(0);
});

test('a task whose every string is markup is shown as text', async () => {
  const EVIL = '<img src=x onerror="planted=true"><script>planted=true</script>\u202egnp.exe';
  const hostile = defineTask('hostile', async (task) => {
    await task.message('user', EVIL);
    await task.step(EVIL, () => EVIL);
    await task.decide({ what: EVIL, why: EVIL });
    await task.progress(50, EVIL);
    throw new Error(EVIL);
  });
  const dashboard = await open({
    tasks: [hostile],
    arrange: async (engine) => {
      await (await engine.start(hostile, undefined, { task_name: EVIL })).outcome;
    },
  });
  await expect.poll(() => dashboard.page.locator('[data-task]').count()).toBe(1);
  expect(await dashboard.page.textContent('body')).toContain('<img src=x onerror=');
  expect(await dashboard.page.evaluate(() => 'planted' in window)).toBe(false);
  expect(await dashboard.page.locator('img[src="x"], body script').count()).toBe(0);
  expect(dashboard.complaints).toEqual([]);
});
