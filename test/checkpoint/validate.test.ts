import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkpointSchema } from '../../src/checkpoint/record/record.ts';
import { type CheckpointEnvironment, validateCheckpoint } from '../../src/checkpoint/validation/validate.ts';
import { packValue } from '../../src/checkpoint/values/pack.ts';
import { CorruptError } from '../../src/errors.ts';
import { decode, encode } from '../../src/storage/serialize.ts';
import { checkpoint, checkpointBody } from './samples.ts';

const LIMITS = { blob_over_kb: 0.1, compress_over_kb: 100, compression: 'gzip' } as const;

const goodWorld: CheckpointEnvironment = {
  hasBlob: async () => true,
  directoryExists: async () => true,
  toolVersion: async (name) => (name === 'git' ? '2.39.5' : null),
  isSet: (name) => name === 'HOME',
};
const validate = (stored: unknown, world: Partial<CheckpointEnvironment> = {}) =>
  validateCheckpoint(stored, { ...goodWorld, ...world });
const needing = (env_requirements: Record<string, string>) =>
  checkpoint({ recovery_info: { ...checkpointBody().recovery_info, env_requirements } });

describe('a checkpoint that is whole, in a world as it needs it', () => {
  it('is valid, also after it was stored', async () => {
    const expected = {
      structural: { hasRequiredFields: true, schemaValid: true },
      integrity: { checksumMatch: true, blobsAccessible: true, contextAvailable: true },
      environmental: { workingDirectoryExists: true, filesUnchanged: true, dependenciesAvailable: true },
      valid: true,
      problems: [],
    };
    expect(await validate(checkpoint())).toEqual(expected);
    expect(await validate(decode(encode(checkpoint())))).toEqual(expected);
  });
});

describe('structure', () => {
  const required = Object.entries(checkpointSchema.shape).filter(([, { type }]) => type !== 'optional');

  it.each(required.map(([field]) => field))('misses %s', async (field) => {
    const { [field as 'id']: _, ...rest } = checkpoint();
    const { structural, valid, problems } = await validate(rest);
    expect(structural).toEqual({ hasRequiredFields: false, schemaValid: false });
    expect(valid).toBe(false);
    expect(problems[0]).toBe(`It lacks ${field}.`);
  });

  it('says which field is not as it has to be', async () => {
    const { structural, problems } = await validate({ ...checkpoint(), priority: 'urgent' });
    expect(structural).toEqual({ hasRequiredFields: true, schemaValid: false });
    expect(problems[0]).toMatch(/priority/);
  });

  it.each([null, 7, 'text', [], { f: () => {} }])('takes %s for no checkpoint', async (wrong) => {
    expect(await validate(wrong)).toMatchObject({
      structural: { hasRequiredFields: false, schemaValid: false },
      integrity: { checksumMatch: false, blobsAccessible: false },
      environmental: { workingDirectoryExists: false, filesUnchanged: false, dependenciesAvailable: false },
      valid: false,
    });
  });
});

describe('integrity', () => {
  it('notices any change to any field', async () => {
    const whole = checkpoint({ step_state: { n: 1 }, metadata: { by: 'me' } });
    const fields = Object.keys(whole) as (keyof typeof whole)[];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...fields), fc.jsonValue(), async (field, value) => {
        fc.pre(encode(whole[field]) !== encode(value));
        const { integrity, valid } = await validate({ ...whole, [field]: value });
        expect(integrity.checksumMatch).toBe(false);
        expect(valid).toBe(false);
      }),
    );
  });

  it('asks for every blob it refers to, and for those of its journal', async () => {
    const { stored } = packValue('x'.repeat(500), 'blobs', LIMITS);
    const id = (stored as { $blob: string }).$blob.slice('blob://'.length);
    const record = checkpoint({ step_state: stored });
    const asked: string[] = [];
    const other = `tool_results/${'a'.repeat(64)}`;
    const world: Partial<CheckpointEnvironment> = {
      hasBlob: async (wanted) => asked.push(wanted) > 0,
      journalBlobs: async function* () {
        yield other;
      },
    };
    expect((await validate(record, world)).valid).toBe(true);
    expect(asked).toEqual([id, other]);
    const missing = await validate(record, { hasBlob: async () => false });
    expect(missing).toMatchObject({
      integrity: { checksumMatch: true, blobsAccessible: false },
      valid: false,
    });
    expect(missing.problems).toEqual([`Blobs it needs cannot be read: ${id}.`]);
  });

  it('takes a damaged blob for one that is not there, and no other error', async () => {
    const { stored } = packValue('x'.repeat(500), 'blobs', LIMITS);
    const failing = (error: Error) =>
      validate(checkpoint({ step_state: stored }), { hasBlob: () => Promise.reject(error) });
    expect((await failing(new CorruptError('bad', { hint: '' }))).integrity.blobsAccessible).toBe(false);
    await expect(failing(new Error('the disk is gone'))).rejects.toThrow('the disk is gone');
  });
});

describe('environment', () => {
  it('misses the working directory', async () => {
    const { environmental, problems, valid } = await validate(checkpoint(), { directoryExists: () => false });
    expect(environmental.workingDirectoryExists).toBe(false);
    expect(problems).toEqual(['Its working directory /work does not exist.']);
    expect(valid).toBe(false);
  });

  it('names files that changed', async () => {
    const changedFiles = async () => ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts'];
    const { environmental, problems } = await validate(checkpoint(), { changedFiles });
    expect(environmental.filesUnchanged).toBe(false);
    expect(problems).toEqual(['Changed since it was made: a.ts, b.ts, c.ts and 2 more.']);
  });

  it.each([
    [{ git: '>=2.38', 'env:HOME': 'set' }, []],
    [{ git: '>=2.40' }, ['Found git 2.39.5, >=2.40 is needed.']],
    [{ docker: '24.x' }, ['docker is missing, 24.x is needed.']],
    [{ 'env:API_KEY': 'set' }, ['The variable API_KEY is not set.']],
    [
      { 'env:API_KEY': 'secret' },
      ['The requirement "env:API_KEY" cannot be read: a variable can only be required to be "set".'],
    ],
    [{ git: 'newest' }, ['The requirement "git": "newest" cannot be read (found 2.39.5).']],
  ])('%j: %j', async (requirements, expected) => {
    const { environmental, problems } = await validate(needing(requirements));
    expect(problems).toEqual(expected);
    expect(environmental.dependenciesAvailable).toBe(expected.length === 0);
  });
});
