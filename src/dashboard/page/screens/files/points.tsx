/** From where to where: the start of a task, any of its checkpoints, now. */
import { moment } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { plainOf } from '../../lib/shown.ts';
import type { CheckpointRow } from '../../shapes/files.ts';

interface PointsProps {
  readonly checkpoints: readonly CheckpointRow[];
  readonly from: string;
  readonly to: string;
  onChange(next: { from: string; to: string }): void;
}

export function Points({ checkpoints, from, to, onChange }: PointsProps) {
  const places = checkpoints.filter(({ snapshot }) => snapshot !== null);
  return (
    <div class="points">
      <Point
        label={say('page.files.from')}
        value={from}
        places={places}
        onChange={(value) => onChange({ from: value, to })}
      />
      <Point
        label={say('page.files.to')}
        value={to}
        places={places}
        onChange={(value) => onChange({ from, to: value })}
      />
    </div>
  );
}

function Point({
  label,
  value,
  places,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly places: readonly CheckpointRow[];
  onChange(value: string): void;
}) {
  const known = ['start', 'now'].includes(value) || places.some(({ id }) => id === value);
  return (
    <label class="point">
      <span>{label}</span>
      <select class="field" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="start">{say('page.files.start')}</option>
        {!known && <option value={value}>{value}</option>}
        {places.map((one) => (
          <option key={one.id} value={one.id}>
            {pointText(one)}
          </option>
        ))}
        <option value="now">{say('page.files.now')}</option>
      </select>
    </label>
  );
}

/** "○ 12  before edit  12:01". */
function pointText({ sequence_number, step_name, prompt, made, created_at }: CheckpointRow): string {
  const what = prompt ?? step_name ?? made;
  const short = what.length > 48 ? `${what.slice(0, 47)}…` : what;
  return `${sequence_number} · ${plainOf(short)} · ${moment(created_at)}`;
}
