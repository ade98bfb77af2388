/** Reads a small text file of the kernel; throws what the system throws. */
export type ReadText = (file: string) => string;

/** The text of the first of several files that can be read; undefined when none can. */
export function firstReadable(read: ReadText, files: readonly string[]): string | undefined {
  for (const file of files) {
    const text = readableText(read, file);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The text of a file; undefined when it is not there or must not be read. */
export function readableText(read: ReadText, file: string): string | undefined {
  try {
    return read(file);
  } catch {
    return undefined;
  }
}
