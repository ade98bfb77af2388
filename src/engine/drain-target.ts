/** Something with clients that takes part in the drain: a server, the streams (D1, D3). */
export interface DrainTarget {
  /** From now on clients are told to go elsewhere, where their protocol can say so without losing a request. */
  startDraining(): void;
  /** Resolves once nothing new is let in; `windowMs` is the time its clients have to leave. */
  stopAccepting(windowMs: number): Promise<void>;
  /** Resolves once the last client has gone, after `stopAccepting`. */
  gone(): Promise<void>;
  /** What `gone` still waits for and that is not counted as work in flight. */
  open(): readonly string[];
  /** Ends every connection by force; resolves once what that sends has gone out. */
  cut(): Promise<void>;
  /** Takes hale's listeners off. */
  release(): void;
}
