/** What a bench says at the end: for people a table, for machines the same with every round. */
import type { Bar } from '../harness.ts';
import type { MachineFacts } from './machine.ts';
import type { FigureResult } from './rounds.ts';

export interface Report {
  readonly bench: string;
  /** ISO 8601. */
  readonly date: string;
  /** As it was before the first figure. */
  readonly machine: MachineFacts;
  /** Its load after the last one, which our own work is part of. */
  readonly load_at_end: number;
  /** Whether every figure meets its bar. */
  readonly passed: boolean;
  readonly figures: readonly FigureResult[];
}

export function asTable(report: Report): string {
  const { cpus, cpu, load, node, platform, file_system } = report.machine;
  const rows = [['figure', 'bar', 'median', 'spread', 'rounds', ''], ...report.figures.map(rowOf)];
  const failures = report.figures.flatMap(({ name, error }) => (error ? [`${name}: ${error}`] : []));
  return [
    `${report.bench}, ${report.date.slice(0, 10)}: ${platform}, ${cpus} × ${cpu} (load ${load}, at the end ${report.load_at_end}), Node ${node}, ${file_system}`,
    ...(load > cpus ? ['Other work was going on: of times only the ratios mean something.'] : []),
    '',
    ...align(rows),
    ...(failures.length > 0 ? ['', ...failures] : []),
  ].join('\n');
}

function rowOf({ name, bar, measured, spread, samples, verdict }: FigureResult): string[] {
  const shown = (value: number) => show(value, bar.unit);
  return [
    name,
    'atLeast' in bar ? `≥ ${shown(bar.atLeast)}` : `≤ ${shown(bar.atMost)}`,
    measured === null ? '-' : shown(measured),
    spread === null ? '-' : `${digits(spread.min, bar.unit)} - ${shown(spread.max)}`,
    String(samples.length),
    verdict,
  ];
}

/** Text to the left, numbers to the right. */
function align(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const last = widths.length - 1;
  return rows.map((row) =>
    row
      .map((cell, i) => (i === 0 || i === last ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  ')
      .trimEnd(),
  );
}

function show(value: number, unit: Bar['unit']): string {
  return unit === undefined ? digits(value, unit) : `${digits(value, unit)} ${unit}`;
}

/** Ratios with three places, small quantities with two, others with one. */
function digits(value: number, unit: Bar['unit']): string {
  return value.toFixed(unit === undefined ? 3 : Math.abs(value) < 10 ? 2 : 1);
}
