/** Method and path without the query string, of bounded length. */
export function routeText(method = 'GET', url = '/'): string {
  return `${method} ${(url.split('?', 1)[0] ?? '/').slice(0, 200)}`;
}
