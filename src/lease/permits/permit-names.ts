/** What the names of permits begin with; they are leases, but no instances. */
export const PERMITS = 'permits/';

/** Tells instances from permits, by the name of a lease: whoever asks for permits gets them. */
export function isInstanceBelow(prefix: string): (lease: { readonly name: string }) => boolean {
  const wantsPermits = prefix.startsWith(PERMITS);
  return ({ name }) => wantsPermits || !name.startsWith(PERMITS);
}
