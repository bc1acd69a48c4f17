/** Whether the path of a URL is below one of these. */
export const isBelow = (url: string, paths: string[]): boolean => paths.some((path) => url.startsWith(`${path}/`))

/** Returns the URL without one slash at the end of its path, if the path is below one of these. */
export function withoutTrailingSlash(url: string, paths: string[]): string {
  const query_at = url.indexOf('?')
  const end = (query_at === -1 ? url.length : query_at) - 1
  if (url[end] !== '/' || url[end - 1] === '/' || !isBelow(url.slice(0, end), paths)) return url
  return url.slice(0, end) + url.slice(end + 1)
}
