/**
 * Where a request was sent to.
 *
 * @module
 */

/** The address as `URL`; undefined where its host, which is what the caller says, is none. */
export function addressOf({ url }: Request): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

/** Path and query of a request, whatever its host is. */
export function targetOf(request: Request): Pick<URL, "pathname" | "searchParams"> {
  const { url } = request;
  return addressOf(request) ?? new URL(url.slice(url.indexOf("/", 8)), "http://localhost");
}

/** The path that callers know: that of a request, below what was taken away from it. */
export function publicPath(basePath: string, pathname: string): string {
  const isWhole = pathname === basePath || pathname.startsWith(`${basePath}/`);
  return isWhole ? pathname : basePath + pathname;
}
