const chunk_length = 64 * 1024

/** Lines put together, so that a stream has less to pass on. */
export function* chunksOf(...all: Iterable<string>[]): Generator<string> {
  let chunk = ''
  for (const lines of all) {
    for (const line of lines) {
      chunk += line
      if (chunk.length < chunk_length) continue
      yield chunk
      chunk = ''
    }
  }
  yield chunk
}
