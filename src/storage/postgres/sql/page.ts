/** A page of a table: what `rows` selects, in order, up to a limit in bytes; at least one row. */
export function boundedPage(
  rows: string,
  { size, order, bytes }: { size: string; order: string; bytes: string },
): string {
  return `
    SELECT * FROM (
      SELECT *, sum(${size}) OVER (ORDER BY ${order}) - ${size} AS before FROM (${rows}) AS page
    ) AS sized WHERE before < ${bytes} ORDER BY ${order}`;
}
