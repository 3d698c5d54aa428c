/** The tasks of the project in the pictures, one process each: `node stories.ts <directory> <story>`. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask, type Engine, openEngine, type TaskContext, type TaskDefinition } from 'vibe-engine';

const [dir = '.', story = ''] = process.argv.slice(2);
const MINUTE = 60_000;

/** How far our clock is from the real one. */
let behind = 0;
const clock = { now: () => new Date(Date.now() - behind) };
/** The clock stands at so many minutes before now. */
const at = (minutes: number): void => {
  behind = minutes * MINUTE;
};
const pass = (minutes: number): void => {
  behind -= minutes * MINUTE;
};
/** A command that takes a while, by our clock. */
const taking = async (minutes: number): Promise<unknown> => {
  await sleep(15);
  pass(minutes);
  return 'ok';
};

const open = () =>
  openEngine({ project_dir: dir, workspace: true, clock, signals: false, automatic_cleanup: false });
const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('dead');
};
const ready = (): void => {
  process.stdout.write('ready\n');
};

const stories = {
  /** Four small ones that went well. */
  async done() {
    const engine = await open();
    const titles = ['add-health-check', 'translate-emails', 'bump-node', 'tidy-imports'];
    for (const [index, name] of titles.entries()) {
      at(420 - index * 35);
      const task = defineTask(name, async (run) => {
        await run.message('user', `Please ${name.replaceAll('-', ' ')}.`);
        await run.step('read the code', () => taking(1));
        await run.files.write(`src/${name}.ts`, `export const ${name.replaceAll('-', '_')} = true;\n`);
        pass(2);
        await run.shell('true');
        await run.step('check', () => taking(2));
        return { ok: true };
      });
      await engine.run(task, undefined);
    }
    await engine.close();
  },

  /** Fails after three attempts. */
  async upgrade() {
    at(190);
    const engine = await open();
    const task = defineTask('upgrade-payment-client', async (run) => {
      await run.step('read the release notes', () => taking(2));
      await run.files.edit('package.json', (text) => text.replace('"module"', '"module", "payment": "4"'));
      pass(1);
      await run.step(
        'run the tests',
        async () => {
          await taking(1);
          throw new TypeError('client.charge is not a function (src/payment.ts:41)');
        },
        { retry: { attempts: 3, first_delay_ms: 1 } },
      );
    });
    await engine.run(task, undefined).catch(() => {});
    await engine.close();
  },

  async 'two-agents'() {
    at(160);
    const engine = await open();
    const task = defineTask('add-search', async (run) => {
      const work = (agent: TaskContext, path: string, text: string) => async () => {
        await agent.message('user', `Write ${path}`);
        await agent.step('think', () => taking(1));
        await agent.files.write(path, text);
        await agent.step('review', () => taking(1));
        return path;
      };
      await Promise.all([
        run.agent('coder', { files: ['src/search.ts'] }, (agent) =>
          work(agent, 'src/search.ts', 'export const search = () => [];\n')(),
        ),
        run.agent('writer', { files: ['docs/search.md'] }, (agent) =>
          work(agent, 'docs/search.md', '# Search\n\nFinds things.\n')(),
        ),
      ]);
      await run.step('join', () => taking(1));
      return { ok: true };
    });
    await engine.run(task, undefined);
    await engine.close();
  },

  /** Killed in the middle of a move, and nobody takes it up. */
  async refactor() {
    at(140);
    const engine = await open();
    const task = defineTask('refactor-auth-into-modules', async (run) => {
      await run.message('user', 'Split src/auth.ts into modules, one for each role.');
      await run.step('plan', () => taking(2));
      for (const role of ['guest', 'member']) {
        await run.files.write(`src/auth/${role}.ts`, `export const ${role} = { name: '${role}' };\n`);
        pass(3);
      }
      await run.progress(60, 'move file');
      await run.step('move file', async () => {
        pass(1);
        return die();
      });
    });
    await engine.run(task, undefined);
  },

  /** Two ways from one checkpoint: one was rewound, one forked. */
  async rewound() {
    at(118);
    const engine = await open();
    let tries = 0;
    const task = defineTask('speed-up-search', async (run) => {
      await run.message('user', 'Search takes 900 ms. Make it fast.');
      await run.step('profile', () => taking(2));
      await run.files.write('src/index-of-words.ts', 'export const words = new Map();\n');
      pass(3);
      await run.step(tries === 0 ? 'cache everything' : 'build an index', () => taking(4));
      await run.files.write('src/search-fast.ts', `export const fast = ${tries};\n`);
      pass(2);
      await run.step('measure', () => taking(2));
      if (tries++ === 0) await run.waitFor('human_approval', { prompt: 'Fast enough?' });
      return { ms: 12 };
    });
    const handle = await engine.start(task, undefined);
    while ((await engine.state(handle.id))?.status !== 'waiting') await sleep(10);
    await engine.pause(handle.id, 'too much memory');
    await handle.result.catch(() => {});
    const marks = (await engine.reader.view(handle.id)).checkpoints;
    pass(6);
    await engine.rollback(marks[Math.floor(marks.length / 2)]!.id);
    pass(1);
    const fork = await engine.fork(marks[1]!.id, {
      task_name: 'speed-up-search-2',
      working_dir: '../web-shop-2',
    });
    await (await engine.resume(handle.id)).result;
    pass(3);
    await (await engine.resume(fork.id)).result;
    await engine.close();
  },

  /** Killed twice, taken up again, and done after a break. */
  async long() {
    const task = defineTask('import-catalogue', async (run) => {
      for (let page = 1; page <= 60; page += 1) {
        await run.step(`page ${page}`, () => taking(0.3));
        if (page % 15 === 0) await run.checkpoint();
        if (page === 22 && process.argv[4] === undefined) {
          await run.shell('true');
          await run.step('write page', () => die());
        }
        await run.progress(Math.round((page * 100) / 60), `page ${page} of 60`);
      }
      return { pages: 60 };
    });
    if (process.argv[4] === undefined) {
      spawnSync(process.execPath, [import.meta.filename, dir, 'long', 'first'], { stdio: 'inherit' });
      at(40);
      const engine = await openEngine({
        ...{ project_dir: dir, workspace: true, clock, signals: false, automatic_cleanup: false },
        tasks: [task],
      });
      process.argv[4] = 'second';
      const killed = (await engine.tasks()).find(({ task_name }) => task_name === 'import-catalogue')!;
      await (await engine.resume(killed.task_id)).result;
      await engine.close();
      return;
    }
    process.argv.splice(4);
    at(210);
    const engine = await open();
    await engine.run(task, undefined);
  },

  async approval() {
    at(31);
    const engine = await open();
    const task = defineTask('fix-login-redirect', async (run) => {
      await run.message('user', 'After login people can be sent to another site. Fix it.');
      await run.step('read the code', () => taking(1));
      await run.message(
        'assistant',
        'The `next` parameter is used as it is.\n\n- `src/login.ts` takes any address\n- it should only take paths of this site',
      );
      await run.files.edit('src/login.ts', (text) =>
        text
          .replace('redirect(next,', 'redirect(safe(next),')
          .replace("from './http.ts'", "from './http.ts'; // safe"),
      );
      pass(3);
      await run.files.write(
        'src/safe.ts',
        "export const safe = (path: string) => (/^\\/(?!\\/)/.test(path) ? path : '/');\n",
      );
      pass(2);
      await run.step('run the tests', async () => {
        await taking(1);
        return { passed: 41, failed: 0 };
      });
      await run.decide({ what: 'allow paths only', why: 'an address of another site is never needed' });
      pass(7);
      await run.waitFor('human_approval', { prompt: 'Tests pass. Commit the fix to src/login.ts?' });
    });
    await wait(engine, task, () =>
      appendFileSync(join(dir, 'src/login.ts'), '\n// Called by the route in src/routes.ts.\n'),
    );
  },

  async question() {
    at(12);
    const engine = await open();
    const task = defineTask('choose-date-library', async (run) => {
      await run.step('compare libraries', () => taking(3));
      await run.tool('search', { query: 'temporal polyfill' }, () => taking(2));
      await run.waitFor('user_input', {
        prompt: 'Three libraries would do. Which one do you want to depend on?',
      });
    });
    await wait(engine, task);
  },

  /** Asks about two places that a person has changed meanwhile, too. */
  async conflict() {
    at(6);
    const engine = await openEngine({
      ...{ project_dir: dir, workspace: true, clock, signals: false, automatic_cleanup: false },
      questions: 'anywhere',
    });
    const task = defineTask('name-the-roles', async (run) => {
      await run.message('user', 'Give the roles names that people understand.');
      const { files } = run;
      const old = String(await files.read('src/session.ts'));
      writeFileSync(
        join(dir, 'src/session.ts'),
        old
          .replace('readonly cookie: string;', 'readonly cookie: string; // signed')
          .replace("'ada'", "'Ada'"),
      );
      setTimeout(ready, 500);
      await files.write(
        'src/session.ts',
        old.replace('readonly cookie: string;', 'readonly cookie: Cookie;').replace("'ada'", 'OWNER'),
      );
    });
    await engine.run(task, undefined);
  },

  /** Runs while the pictures are taken. */
  async migrate() {
    at(3);
    const engine = await open();
    const task = defineTask('migrate-docs', async (run) => {
      for (let file = 1; file <= 400; file += 1) {
        if (file === 20) {
          behind = 0;
          ready();
        }
        await run.step(`rewrite links in docs/${file}.md`, () =>
          file < 20 ? taking(0.14) : sleep(1_500).then(() => 'ok'),
        );
        if (file % 8 === 0) await run.checkpoint();
        await run.progress(Math.min(99, 40 + file), `rewrite links in docs/${file}.md`);
      }
    });
    await engine.run(task, undefined);
  },
};

export type StoryName = keyof typeof stories;

/** Left waiting, with nobody running it; a person edits meanwhile. */
async function wait(engine: Engine, task: TaskDefinition<void, void>, then = (): void => {}): Promise<void> {
  const handle = await engine.start(task, undefined);
  while ((await engine.state(handle.id))?.status !== 'waiting') await sleep(10);
  then();
  process.exit(0);
}

await stories[story as StoryName]();
process.exit(0);
