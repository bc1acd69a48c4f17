/** Whether the path of a URL is one of these or below one. */
export const isAtOrBelow = (url: string, paths: string[]): boolean =>
  paths.some((path) => url.startsWith(path) && /^([/?]|$)/.test(url.slice(path.length, path.length + 1)))

/** Returns the URL without one slash at the end of its path, if the path is one of these or below one. */
export function withoutTrailingSlash(url: string, paths: string[]): string {
  const query_at = url.indexOf('?')
  const end = (query_at === -1 ? url.length : query_at) - 1
  if (url[end] !== '/' || url[end - 1] === '/' || !isAtOrBelow(url.slice(0, end), paths)) return url
  return url.slice(0, end) + url.slice(end + 1)
}
