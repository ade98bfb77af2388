import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A user without rights, or undefined to stay the one that runs the tests. */
export type Identity = { readonly uid: number; readonly gid: number } | undefined;

/** Database servers refuse to run as root, so root starts them as their packages' own user, or as nobody. */
export async function findIdentity(user: string): Promise<Identity> {
  if (process.getuid?.() !== 0) return undefined;
  const name = await run('id', ['-u', user]).then(
    () => user,
    () => 'nobody',
  );
  const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}
