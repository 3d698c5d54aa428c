/** Where a fork goes that gets a directory of its own: beside the project, named after both. Pure. */
export function forkDirectory(project: string, name: string): string {
  const safe = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 60);
  return `../${project}-${safe || 'fork'}`;
}
