/** Exports a task from any store to a file, and imports it into any other. */
export { type Exported, type ExportOptions, type ExportSource, exportTask } from './export.ts';
export { PORTABLE_LIMITS, type PortableLimits } from './format.ts';
export { type Imported, type ImportTarget, importTask, requireExport } from './import.ts';
