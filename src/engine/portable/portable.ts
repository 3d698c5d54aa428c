/** One task as one file, out of any store and into any other. */
export { type Exported, type ExportOptions, type ExportSource, exportTask } from './export.ts';
export { PORTABLE_LIMITS, type PortableLimits } from './format.ts';
export { type Imported, type ImportTarget, importTask } from './import.ts';
