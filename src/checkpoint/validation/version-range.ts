/**
 * Whether the version that a tool reports is in a range, as npm reads ranges. Early versions (`25.0.0-rc.1`) are in it as
 * they are for `engines` in a package.json.
 */
export async function satisfies(version: string, range: string): Promise<boolean | 'unreadable'> {
  const { default: semver } = await import('semver'); // Most tasks require no version.
  const options = { includePrerelease: true };
  const found = semver.coerce(version, options);
  if (!found || semver.validRange(range, options) === null) return 'unreadable';
  return semver.satisfies(found, range, options);
}
