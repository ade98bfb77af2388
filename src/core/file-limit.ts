/**
 * The soft limit of open files in the text of `/proc/<pid>/limits` (proc(5)); Infinity when there is none.
 */
export function softLimitOf(limits: string): number {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  return soft === undefined || soft === 'unlimited' ? Infinity : Number(soft);
}
