/** Which texts are taken for secrets, and what is left of them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasSecret, maskSecrets } from '../../src/engine/secrets/detect.ts';

const many = (part: string, times: number): string => part.repeat(times);

// Put together here, so that nobody who looks for secrets finds them in this file.
const SECRETS: readonly (readonly [text: string, masked: string])[] = [
  [`sk-${'proj-'}${many('Ab3', 10)}`, 'sk-proj-••••••'],
  [`key sk-${'ant-'}api03-${many('x9_', 10)} end`, 'key sk-ant-•••••• end'],
  [`sk_${'live_'}${many('a1', 12)}`, 'sk_live_••••••'],
  [`gh${'p_'}${many('aB3d', 9)}`, 'ghp_••••••'],
  [`github_${'pat_'}${many('a1_', 20)}`, 'github_pat_••••••'],
  [`glpat${'-'}${many('x1', 10)}`, 'glpat-••••••'],
  [`xox${'b-'}1234567890-abcdef`, 'xoxb-••••••'],
  [`AKI${'A'}${many('Q7', 8)}`, 'AKIA••••••'],
  [`AI${'za'}${many('a', 35)}`, 'AIza••••••'],
  [`ey${'J'}hbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4`, 'eyJ••••••'],
  ['postgres://me:hunter2!@db/x', 'postgres://me:••••••@db/x'],
  ['DB_PASSWORD="correct-horse-1"', 'DB_PASSWORD="••••••"'],
  ['api_key: 0123456789abcdef', 'api_key: ••••••'],
  [String.raw`{\"password\":\"correct-horse-1\"}`, String.raw`{\"password\":\"••••••\"}`],
  [
    `a\n-----BEGIN RSA ${'PRIVATE'} KEY-----\nMIIE\nxyz\n-----END RSA ${'PRIVATE'} KEY-----\nb`,
    'a\n-----BEGIN RSA PRIVATE KEY-----••••••\nb',
  ],
];

test.each(SECRETS)('%s', (text, masked) => {
  expect(hasSecret(text)).toBe(true);
  expect(maskSecrets(text)).toBe(masked);
  expect(maskSecrets(masked)).toBe(masked);
});

test.each([
  'the token is refreshed every hour',
  'const secret = readSecret(name);',
  'password: process.env.PASSWORD',
  'const token = crypto.randomBytes2(32);',
  'this.secret = secrets32[0]',
  'sk-learn and task-runner are words',
  'https://example.org:8080/a@b',
  'git@host:me/project.git',
  'snapshot/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  'ckpt-t01m7g5z3hh539ttyym3j2rt8qj-12',
  'tokens: 12345',
])('%s is no secret', (text) => {
  expect(hasSecret(text)).toBe(false);
  expect(maskSecrets(text)).toBe(text);
});

test('a name says that a text is one, and the text says it better', () => {
  expect(maskSecrets('correct-horse-1', 'password')).toBe('••••••');
  expect(maskSecrets('correct-horse-1', 'animal')).toBe('correct-horse-1');
  expect(maskSecrets(`gh${'p_'}${many('aB3d', 9)}`, 'token')).toBe('ghp_••••••');
});

test('no text takes long', () => {
  const parts = fc.constantFrom(
    'sk-',
    'eyJ',
    '.',
    'a',
    ':',
    '//',
    '@',
    '-----BEGIN PRIVATE KEY-----',
    'password=',
    '"',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 400 }), fc.integer({ min: 1, max: 50 }), (pieces, times) => {
      const text = pieces.join('').repeat(times);
      expect(maskSecrets(text).length).toBeLessThanOrEqual(text.length + 6 * text.length);
    }),
    { interruptAfterTimeLimit: 10_000, numRuns: 200 },
  );
});

test.each(['token=', 'eyJaaaaaaaaaa-', 'secret:xxxxxxxxxxxx', 'eyJaaaaaaaaaa.'])(
  'a text that begins like many secrets and is none, made of %s, takes no longer than others',
  (part) => {
    // Half a mebibyte of it took minutes when the time grew with the square of the length.
    const text = part.repeat(2 ** 19 / part.length);
    expect(typeof hasSecret(text)).toBe('boolean');
    expect(maskSecrets(`${text}. sk-${'proj-'}${many('Ab3', 10)}`)).toMatch(/ sk-proj-••••••$/);
  },
);
