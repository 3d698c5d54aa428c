/** Whether a task can resume from a checkpoint: it is valid, intact, and its requirements are met. */
import { answering, isDamage, NotSerialisableError } from '../../errors.ts';
import { firstNames, phrase } from '../../phrase.ts';
import { type CheckpointRecord, checkpointSchema, checksumOf } from '../record/record.ts';
import { blobIdsIn } from '../values/blob-ref.ts';
import { type ContextReference, missingContext } from './required-context.ts';
import { type Machine, unmetRequirements } from './requirements.ts';

export interface CheckpointValidation {
  readonly structural: { readonly hasRequiredFields: boolean; readonly schemaValid: boolean };
  readonly integrity: {
    readonly checksumMatch: boolean;
    readonly blobsAccessible: boolean;
    /** What `required_context` names exists. */
    readonly contextAvailable: boolean;
  };
  readonly environmental: {
    readonly workingDirectoryExists: boolean;
    readonly filesUnchanged: boolean;
    readonly dependenciesAvailable: boolean;
  };
  /** All of the above. */
  readonly valid: boolean;
  /** A sentence for each thing that is wrong. */
  readonly problems: readonly string[];
}

/** Queries to the store and the machine. */
export interface CheckpointEnvironment extends Machine {
  hasBlob(id: string): Promise<boolean>;
  /** The blobs its part of the journal refers to, in addition to those of the record itself. */
  journalBlobs?(checkpoint: CheckpointRecord): AsyncIterable<string>;
  /** Whether a journal reaches that far; assumed if this is missing. */
  hasJournal?(place: ContextReference): Promise<boolean>;
  directoryExists(path: string): boolean | Promise<boolean>;
  /** The files that are not as the checkpoint left them. */
  changedFiles?(checkpoint: CheckpointRecord): Promise<readonly string[]>;
}

export async function validateCheckpoint(
  stored: unknown,
  environment: CheckpointEnvironment,
): Promise<CheckpointValidation> {
  const problems: string[] = [];
  const structural = checkStructure(stored, problems);
  const checksumMatch = hasItsChecksum(stored, problems);
  const checks = structural.schemaValid
    ? await checkSurroundings(stored as CheckpointRecord, environment, problems)
    : NOTHING_KNOWN;
  const { blobsAccessible, contextAvailable, ...environmental } = checks;
  const integrity = { checksumMatch, blobsAccessible, contextAvailable };
  return { structural, integrity, environmental, valid: problems.length === 0, problems };
}

/** An unreadable checkpoint cannot say what it needs. */
const NOTHING_KNOWN = {
  blobsAccessible: false,
  contextAvailable: false,
  workingDirectoryExists: false,
  filesUnchanged: false,
  dependenciesAvailable: false,
};

function checkStructure(stored: unknown, problems: string[]): CheckpointValidation['structural'] {
  const given = typeof stored === 'object' && stored !== null ? stored : {};
  const missing = Object.entries(checkpointSchema.shape)
    .filter(([field, schema]) => schema.type !== 'optional' && !Object.hasOwn(given, field))
    .map(([field]) => field);
  if (missing.length > 0) problems.push(phrase`It lacks ${missing.join(', ')}.`);
  const parsed = checkpointSchema.safeParse(stored);
  const issue = parsed.error?.issues.find(({ path }) => !missing.includes(String(path[0])));
  if (issue) problems.push(phrase`It is not a valid checkpoint: ${issue.path.join('.')}: ${issue.message}.`);
  return { hasRequiredFields: missing.length === 0, schemaValid: parsed.success };
}

function hasItsChecksum(stored: unknown, problems: string[]): boolean {
  const matches = typeof stored === 'object' && stored !== null && checksumHolds(stored);
  if (!matches) problems.push(phrase`Its checksum does not match: it was changed after it was written.`);
  return matches;
}

function checksumHolds(stored: object): boolean {
  const { checksum, ...body } = stored as { checksum?: unknown };
  try {
    return checksumOf(body) === checksum;
  } catch (error) {
    if (error instanceof NotSerialisableError) return false;
    throw error;
  }
}

async function checkSurroundings(
  checkpoint: CheckpointRecord,
  environment: CheckpointEnvironment,
  problems: string[],
) {
  const { working_dir, env_requirements, required_context } = checkpoint.recovery_info;
  const hasJournal = async (place: ContextReference) => (await environment.hasJournal?.(place)) ?? true;
  const lost = await missingBlobs(checkpoint, environment);
  if (lost.length > 0) problems.push(phrase`Blobs it needs cannot be read: ${firstNames(lost, 3)}.`);
  const gone = await missingContext(required_context, checkpoint.step_variables, hasJournal);
  if (gone.length > 0) problems.push(phrase`What it needs to continue is missing: ${firstNames(gone, 3)}.`);
  const workingDirectoryExists = await environment.directoryExists(working_dir);
  if (!workingDirectoryExists) problems.push(phrase`Its working directory ${working_dir} does not exist.`);
  const changed = (await environment.changedFiles?.(checkpoint)) ?? [];
  if (changed.length > 0) problems.push(phrase`Changed since it was made: ${firstNames(changed, 3)}.`);
  const unmet = await unmetRequirements(env_requirements, environment);
  problems.push(...unmet);
  return {
    blobsAccessible: lost.length === 0,
    contextAvailable: gone.length === 0,
    workingDirectoryExists,
    filesUnchanged: changed.length === 0,
    dependenciesAvailable: unmet.length === 0,
  };
}

async function missingBlobs(
  checkpoint: CheckpointRecord,
  environment: CheckpointEnvironment,
): Promise<string[]> {
  const needed = new Set(blobIdsIn(checkpoint));
  for await (const id of environment.journalBlobs?.(checkpoint) ?? []) needed.add(id);
  const missing: string[] = [];
  // A store throws if a blob is damaged, which counts as unreadable here.
  for (const id of needed)
    if (!(await environment.hasBlob(id).catch(answering(isDamage, false)))) missing.push(id);
  return missing;
}
