import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Creates an initialised database in the folder and closes it again. */
export type InitialiseDatabase = (dataDir: string) => Promise<void>;

const EXAMPLE = fileURLToPath(new URL('../../', import.meta.url));

async function templateFor(cache: string, initialise: InitialiseDatabase): Promise<string> {
  const { dependencies } = JSON.parse(
    await readFile(path.join(EXAMPLE, 'package.json'), 'utf8'),
  ) as { dependencies: Record<string, string> };
  const template = path.join(cache, `pglite-${dependencies['@electric-sql/pglite']}`);
  if (existsSync(template)) return template;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(path.join(cache, 'draft-'));
  try {
    await initialise(draft);
    await rename(draft, template);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process may have been faster; its template is as good.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
  return template;
}

/**
 * Makes `dataDir` an empty database unless it is one already: initialising takes seconds of CPU, so the
 * first one is kept as a template beside the installed packages and copied. Where that place cannot be
 * written, `dataDir` stays absent and PGlite initialises it.
 */
export async function fillDataDirectory(
  dataDir: string,
  initialise: InitialiseDatabase,
  cache = path.join(EXAMPLE, 'node_modules/.cache/order-service'),
): Promise<void> {
  if (existsSync(dataDir)) return;
  // A copy that was cut short by a kill must not be taken for a database.
  const draft = `${dataDir}.draft`;
  try {
    await rm(draft, { recursive: true, force: true });
    await cp(await templateFor(cache, initialise), draft, { recursive: true });
    await rename(draft, dataDir);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!['EACCES', 'EROFS', 'ENOSPC', 'EPERM'].includes(code)) throw error;
  }
}
