import { describe, expect, it } from 'vitest';
import { satisfies } from '../../src/checkpoint/validation/version-range.ts';

describe('satisfies', () => {
  it.each([
    ['>=24', '24.0.0 24.21.0 25.1.0 24.0.0-rc.1', '23.11.1'],
    ['>=24.0.0', '24.0.0', '24.0.0-rc.1'],
    ['>= 24', '24.0.0', '23.0.0'],
    ['>2.38', '2.39.0 3.0.0', '2.38.0 2.38.9'],
    ['>2.38.1', '2.38.2', '2.38.1 2.38.0'],
    ['<3', '2.99.99', '3.0.0 3.0.0-rc.1'],
    ['<=3', '3.9.9 2.0.0', '4.0.0'],
    ['<=3.1.0', '3.1.0 3.0.9', '3.1.1'],
    ['24.x', '24.0.0 24.99.1', '25.0.0 25.0.0-rc.1 23.9.9'],
    ['24.1.x', '24.1.0 24.1.9', '24.2.0'],
    ['24.*', '24.5.0', '25.0.0'],
    ['24', '24.0.0 24.9.9 24', '25.0.0'],
    ['2.39.5', '2.39.5 v2.39.5 2.39.5.0', '2.39.4 2.39.6.1 2.39.5-rc.1'],
    ['=2.39.5', '2.39.5', '2.39.6'],
    ['^1.2.3', '1.2.3 1.9.0', '1.2.2 2.0.0'],
    ['^0.2.3', '0.2.3 0.2.9', '0.3.0 0.2.2'],
    ['^0.0.3', '0.0.3', '0.0.4'],
    ['^2', '2.0.0 2.9.9', '3.0.0'],
    ['~1.2.3', '1.2.3 1.2.9', '1.3.0 1.2.2'],
    ['~1.2', '1.2.0 1.2.9', '1.3.0'],
    ['~1', '1.9.0', '2.0.0'],
    ['>=2.38 <3', '2.38.0 2.99.0', '2.37.9 3.0.0'],
    ['^18 || ^20 || >=24', '18.1.0 20.0.0 26.0.0', '19.0.0 22.0.0'],
    ['1.2 - 3', '1.2.0 3.9.0', '1.1.9 4.0.0'],
    ['*', '0.0.1 99.0.0', ''],
    ['x', '1.0.0', ''],
    ['', '1.0.0', ''],
    ['>=24.0.0-rc.2', '24.0.0 24.0.0-rc.2 24.0.0-rc.10', '24.0.0-rc.1 24.0.0-beta.9'],
  ])('%s takes %s and not %s', async (range, inside, outside) => {
    for (const version of inside.split(' ').filter(Boolean))
      expect([version, await satisfies(version, range)]).toEqual([version, true]);
    for (const version of outside.split(' ').filter(Boolean))
      expect([version, await satisfies(version, range)]).toEqual([version, false]);
  });

  it.each(['latest', '>=', '>=a', '>=1.2 huh', '^1 || nonsense'])(
    'cannot read the range %s',
    async (range) => {
      expect(await satisfies('1.0.0', range)).toBe('unreadable');
    },
  );

  it('cannot read what is no version', async () => {
    expect(await satisfies('unknown', '>=1')).toBe('unreadable');
  });
});
