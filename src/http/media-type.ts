/** The media type that a Content-Type names: without parameters, in lower case (RFC 9110 §8.3.1). */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}
