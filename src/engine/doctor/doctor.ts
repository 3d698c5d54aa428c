/** Checking a store whole, and mending what can be mended safely. */
export { examineStore, nothingSeen, type Patient } from './examine.ts';
export type { Examined, Mend, StoreFinding } from './finding.ts';
export { examineLocked } from './locked.ts';
export { type Mended, mendStore } from './mend.ts';
