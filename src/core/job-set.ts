/** The jobs a worker has in progress. */
export interface JobSet {
  readonly size: number;
  /** Counts a job until the returned function is called; calling it again is without effect. */
  begin(label: string): () => void;
  /** Labels, the longest-running first. */
  labels(): readonly string[];
  /** Resolves once none is in progress. */
  whenIdle(): Promise<void>;
}

/** Creates an empty set. */
export function createJobSet(): JobSet {
  const jobs = new Set<{ readonly label: string }>();
  let waiting: (() => void)[] = [];
  return {
    get size() {
      return jobs.size;
    },
    begin(label) {
      const job = { label };
      jobs.add(job);
      return () => {
        if (!jobs.delete(job) || jobs.size > 0) return;
        const resolved = waiting;
        waiting = [];
        for (const resolve of resolved) resolve();
      };
    },
    labels: () => Array.from(jobs, ({ label }) => label),
    whenIdle() {
      if (jobs.size === 0) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}
