/** Everything the task did, row by row; 100,000 of them as easily as ten. */
import { useEffect, useRef } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { narrow } from '../../ground/narrow.ts';
import { Empty } from '../../kit/notes.tsx';
import { Rows } from '../../kit/rows.tsx';
import { classes } from '../../lib/classes.ts';
import { plainOf } from '../../lib/shown.ts';
import { filterRows, indexOfRow, need, rowAt, rowCount, rowFilter, thread } from '../../state/task.ts';
import { chooseRow, chosen } from './choosing.ts';
import { StepRow } from './step-row.tsx';

export function Steps() {
  const known = thread.value;
  const begun = useRef(false);
  const total = rowCount.value;
  // One begins where the task is now.
  useEffect(() => {
    if (begun.current || total === 0) return;
    begun.current = true;
    const list = document.querySelector('.steps .rows');
    if (list && chosen.peek() === null) list.scrollTop = list.scrollHeight;
  }, [total]);
  if (!known) return null;
  if (known.total === 0)
    return <Empty title={say(known.emptied ? 'page.steps.emptied' : 'page.steps.none')} />;
  return (
    <div class={classes('steps', known.lanes.length > 1 && 'many')}>
      <Filters />
      {total === 0 ? (
        <Empty title={say('page.steps.none_such')} />
      ) : (
        <Rows
          label={say('page.tab.steps')}
          total={total}
          rowHeight={narrow.value ? 60 : 36}
          chosen={chosen.value === null ? -1 : indexOfRow(chosen.value)}
          follow
          draw={(place) => <StepRow step={rowAt(place)} many={known.lanes.length > 1} />}
          onChoose={(place) => chooseRow(rowAt(place)?.row ?? place)}
          onRange={need}
        />
      )}
    </div>
  );
}

function Filters() {
  const { agent, failed } = rowFilter.value;
  const lanes = thread.value?.lanes ?? [];
  return (
    <div class="step-tools">
      <fieldset class="chips" aria-label={say('page.filter')}>
        {[false, true].map((only) => (
          <button
            key={String(only)}
            type="button"
            class="chip"
            aria-pressed={failed === only}
            onClick={() => void filterRows({ agent, failed: only })}
          >
            {say(only ? 'page.steps.failed' : 'page.filter.all')}
          </button>
        ))}
      </fieldset>
      {lanes.length > 1 && (
        <label>
          <span class="seen-by-readers">{say('page.lanes')}</span>
          <select
            class="field"
            value={agent ?? ''}
            onChange={({ currentTarget }) =>
              void filterRows({ agent: currentTarget.value === '' ? undefined : currentTarget.value, failed })
            }
          >
            <option value="">{say('page.steps.all_agents')}</option>
            {lanes.map((lane) => (
              <option key={lane.agent ?? ''} value={lane.agent ?? 'main'}>
                {lane.agent === null ? say('page.lane_main') : plainOf(lane.name)}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
