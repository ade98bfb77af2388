import { createLightship } from 'lightship';
import { runSubject } from './host.mjs';

// Outside Kubernetes lightship picks a free port by itself, which is what a benchmark wants.
await runSubject(async () => {
  const lightship = await createLightship({ detectKubernetes: true });
  lightship.signalReady();
  return { probeUrl: `http://127.0.0.1:${lightship.server.address().port}/live` };
});
