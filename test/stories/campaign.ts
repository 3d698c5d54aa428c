/** Many stories one after another; one that fails is told again with fewer events, as long as it fails. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report, Violation } from '../crash/report.ts';
import type { StoryOptions } from './stage.ts';
import { storyDir, type Told, tellStory } from './story.ts';

export interface StoriesOptions {
  readonly src: string;
  readonly seed: number;
  readonly first?: number;
  readonly count: number;
  /** One in so many begins with a process that is really killed; 0 for none. */
  readonly real_kills: number;
  readonly stop_at_first?: boolean;
  readonly progress?: (line: string) => void;
}

export async function tellStories(options: StoriesOptions): Promise<Report> {
  const { src, seed, first = 0, count, real_kills, progress = () => {} } = options;
  const base = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 've-stories-'));
  const counts: Record<string, number> = { stories: 0, events: 0, refused: 0, 'real kills': 0 };
  const violations: Violation[] = [];
  try {
    for (let number = first; number < first + count; number++) {
      const kills = real_kills > 0 && number % real_kills === 0;
      const story = { src, seed, number, dir: storyDir(base, number), real_kills: kills };
      const told = await tellStory(story);
      counts.stories!++;
      counts.events! += told.events.length;
      counts.refused! += told.events.filter((event) => event.includes(': refused,')).length;
      if (kills) counts['real kills']!++;
      if (told.problems.length > 0) {
        violations.push(violation(await shortest(story, told), seed, number));
        progress(violations.at(-1)!.what);
        if (options.stop_at_first) break;
      }
      if (counts.stories! % 100 === 0) progress(`${counts.stories} stories, ${violations.length} violations`);
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
  return { campaign: 'stories', counts, violations, skipped: [] };
}

/** The same beginning, told with ever fewer events. */
async function shortest(story: StoryOptions, whole: Told): Promise<Told> {
  let told = whole;
  for (let most = 0; most < 9; most++) {
    rmSync(story.dir, { recursive: true, force: true });
    const shorter = await tellStory({ ...story, most });
    if (shorter.problems.length > 0) {
      told = shorter;
      break;
    }
  }
  return told;
}

function violation({ events, problems }: Told, seed: number, number: number): Violation {
  return {
    what: `story ${number}: ${problems.join('; ')}\n    ${events.join('\n    ')}`,
    recipe: `npm run test:stories -- --seed ${seed} --only ${number}`,
  };
}
