/**
 * A table for people on standard output: first column left-aligned, the rest right-aligned.
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
export function formatTable(head, rows) {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column].length)),
  );
  const line = (cells) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
      )
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/**
 * @param {number} value
 * @param {number} digits after the point
 */
export function fixed(value, digits = 1) {
  return value.toFixed(digits);
}
