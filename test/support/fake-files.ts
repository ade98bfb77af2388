/** Files of the kernel for a test; reading any other throws, as the system does. */
export function fakeFiles(files: Record<string, string>): (file: string) => string {
  return (file) => {
    const text = files[file];
    if (text === undefined) throw new Error(`ENOENT: no such file or directory, open '${file}'`);
    return text;
  };
}
