/** Checks a whole store, and repairs what can be repaired safely. */
export { remakeStore } from '../../storage/json/root.ts';
export { emptyExamination, examineStore, type Patient } from './examine.ts';
export type { Examined, Mend, StoreFinding } from './finding.ts';
export { examineLocked } from './locked.ts';
export { type Mended, mendStore } from './mend.ts';
