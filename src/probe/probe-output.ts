/** Something that is told of what probes say, instead of asking. */
export interface ProbeOutput {
  /** To be called after whatever may have changed an answer. */
  look(): void;
  /** Takes back what must not outlive the process; never rejects. */
  close(): Promise<void>;
}
