/** Starts hale where nothing before Next.js has, which needs NEXT_MANUAL_SIG_HANDLE=true. */
export async function register() {
  if (process.env.NEXT_RUNTIME === 'nodejs') await import('./preload.mjs');
}
