/**
 * One random story: tasks edit pages, others edit them too, tasks are stopped anywhere and taken back, forward and up
 * again; after every event the files are held against the model. The same seed and number tell the same story.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Actor } from './journals.ts';
import { killedChild } from './killed.ts';
import { drawSpot } from './people.ts';
import { type Stage, type StoryOptions, setStage } from './stage.ts';
import type { Op, Plan } from './task.ts';
import { createVerbs } from './verbs.ts';

export interface Told {
  readonly events: readonly string[];
  readonly problems: readonly string[];
}

const KINDS: readonly Op['kind'][] = ['edit', 'edit', 'write', 'step', 'agent', 'edit', 'write', 'shell'];

export async function tellStory(options: StoryOptions): Promise<Told> {
  const { dir, most = Number.POSITIVE_INFINITY } = options;
  const stage = await setStage(options);
  const { rng, person, actors, events, problems, check } = stage;
  const verbs = createVerbs(stage, dir);
  const names = Object.keys(verbs);
  try {
    if (rng.oneIn(2)) await check(person.act());
    await begin(stage, options);
    const length = Math.min(most, 3 + rng.below(6));
    for (let n = 0; n < length && problems.length === 0; n++) {
      const dice = rng.below(10);
      if (dice < 3) await check(person.act());
      else if (dice === 3 && actors.length < 3) await begin(stage, options);
      else await verbs[rng.pick(names)]!(rng.pick(actors));
    }
  } finally {
    await stage.close();
  }
  if (problems.length === 0) rmSync(dir, { recursive: true, force: true });
  return { events, problems };
}

/** A new task runs as far as it comes. */
async function begin(stage: Stage, { src, dir, real_kills }: StoryOptions): Promise<void> {
  const { rng, actors } = stage;
  const id = `t${actors.length}`;
  const count = 2 + rng.below(4);
  const ops = Array.from({ length: count }, (): Op => ({ kind: rng.pick(KINDS), ...drawSpot(rng) }));
  const plan: Plan = { dir, ops, end: rng.pick(['complete', 'complete', 'fail', 'wait']) };
  stage.disturb(id, count);
  const actor: Actor = { id, ops: count, cut: false, undone: [] };
  let status: string;
  if (real_kills && actors.length === 0) {
    const at = `${id}.${rng.below(count)}`;
    status = await stage.beside(() => killedChild({ src, dir, id, plan, at }));
    actor.cut = true;
    actors.push(actor);
  } else {
    actors.push(actor);
    status = await stage.start(actor, plan);
  }
  const what = ops.map(({ kind, path, slot }) => `${kind} ${path} ${slot}`).join(', ');
  await stage.check(`${id} (${what}) ${status}`);
}

export const storyDir = (base: string, number: number): string => join(base, `story-${number}`);
