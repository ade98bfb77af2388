import { OptionError } from '../core/errors.js';
import { replaceMethod } from '../core/replace-method.js';
import { objectOption } from '../core/validate.js';
import {
  type FetchMountOptions,
  type FetchMountableHealth,
  mountOnFetch,
} from '../probe/mount-fetch.js';

/** What {@link attachHealth} uses of a Hono application. */
export interface HonoLike {
  fetch(request: Request, ...rest: never[]): Response | Promise<Response>;
}

/**
 * Answers probes before any middleware of a Hono application, on every runtime it runs on. Call it before `app.fetch`
 * is handed to a server, on the outermost application. The first probe starts hale. The returned function takes
 * everything back.
 * @throws OptionError when it is no Hono application, or on a bad option.
 */
export function attachHealth(
  app: HonoLike,
  health: FetchMountableHealth,
  options: FetchMountOptions = {},
): () => void {
  if (typeof (app as Partial<HonoLike> | undefined)?.fetch !== 'function')
    throw new OptionError('attachHealth (an app)', 'an application of Hono', app);
  const { answer, run } = mountOnFetch(health, objectOption('attachHealth', options));
  return replaceMethod(
    app,
    'fetch',
    (fetch) =>
      function entered(this: unknown, request, ...rest) {
        const next = (): ReturnType<HonoLike['fetch']> =>
          Reflect.apply(fetch, this, [request, ...rest]);
        return answer(request) ?? run(request, next);
      },
  );
}
