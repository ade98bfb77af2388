/** Something behind a load balancer, on 127.0.0.1. */
export interface Backend {
  readonly port: number;
  readonly probePort: number;
  /** Where HAProxy asks an agent, every 100 ms. */
  readonly agentPort?: number;
}

/** Resolves when HTTP is answered on the port, whatever the status. */
export async function proveHttp(port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/`);
  await response.arrayBuffer();
}
