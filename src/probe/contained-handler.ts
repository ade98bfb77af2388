import type { ProbeHandler } from './handler.js';
import { type ProbeResponse, refusal } from './prepared.js';

const FAILED = refusal(500, 'internal error');

/**
 * A handler whose own errors become a 500 and are told to `onError`: it is called from servers of the application,
 * which must not end because hale is wrong.
 */
export function containHandler(
  handler: ProbeHandler,
  onError: (error: unknown) => void,
): ProbeHandler {
  const fail = (error: unknown): ProbeResponse => {
    onError(error);
    return FAILED;
  };
  return {
    handle(request) {
      try {
        const answer = handler.handle(request);
        return answer instanceof Promise ? answer.catch(fail) : answer;
      } catch (error) {
        return fail(error);
      }
    },
  };
}
